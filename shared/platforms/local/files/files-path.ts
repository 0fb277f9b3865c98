/** Path of the server below which files are served. */
export const filesPath = '/files/';
