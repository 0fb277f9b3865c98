/** The list of channels, below the version. */
export const channelsPath = '/instances/{instance}/channels/';
