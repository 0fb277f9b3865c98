/** The list of channels, below the version. */
export const path = '/instances/{instance}/channels/';
