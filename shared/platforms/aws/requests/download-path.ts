/** Path of the interface below which public files are served in a deployment without a CDN. */
export const downloadPath = '/files';
