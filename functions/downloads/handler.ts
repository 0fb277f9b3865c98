import { openDownloads } from '../../shared/platforms/aws/requests/downloads.ts';

/** Redirects readers of public files to signed addresses, in a deployment without a CDN. Serves no other paths. */
export const handler = openDownloads();
