import { GetObjectCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Dispatch } from '../../../core/http/message.ts';
import { openClock } from '../../../ports/clock.ts';
import { openIds } from '../../../ports/ids.ts';
import { methodNotAllowed, notFound } from '../../../values/errors/errors.ts';
import { keyOfUrl } from '../../../values/files/file-addresses.ts';
import { readDownloadEnvironment } from '../environment.ts';
import { type Handler, toHandler } from '../gateway.ts';
import { openLog } from '../log/log.ts';
import { downloadPath } from './download-path.ts';
import { openFrontDoor } from './front-door.ts';

/** Seconds for which all readers get the same signed address, so that their caches have one entry for a file. */
const windowSeconds = 900;

/** The location of files, and the time. */
export interface DownloadOptions {
  readonly bucket: string;
  readonly client: S3Client;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
}

/**
 * Creates the function that redirects requests for public files to S3. The addresses of files are stored and shown by
 * apps, so they must not expire; a signed address does, soon, and is longer than a kilobyte. Ranges and conditional
 * requests are repeated by clients at the new address.
 */
export function createDownloads({ bucket, client, nowMs }: DownloadOptions): Dispatch {
  return async ({ method, path }) => {
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method);
    const Key = keyOfUrl(downloadPath, path);
    if (Key === undefined) throw notFound();
    const input = { Bucket: bucket, Key };
    const seconds = Math.floor(nowMs() / 1000);
    const passed = seconds % windowSeconds;
    // a signature is for one method
    const command = method === 'GET' ? new GetObjectCommand(input) : new HeadObjectCommand(input);
    const location = await getSignedUrl(client, command, {
      signingDate: new Date((seconds - passed) * 1000),
      expiresIn: 2 * windowSeconds, // valid for a whole window when the last reader gets it
    });
    return {
      status: 302,
      headers: { location, 'cache-control': `public, max-age=${windowSeconds - passed}` },
    };
  };
}

/**
 * Opens the function with the environment of its process.
 *
 * @throws Error that names the missing variable
 */
export function openDownloads(): Handler {
  const { bucket, logLevel: level, metrics, proxySecret } = readDownloadEnvironment();
  const clock = openClock();
  const nowMs = () => clock.micros() / 1000;
  const dispatch = createDownloads({ bucket, client: new S3Client({}), nowMs });
  const frontDoor = openFrontDoor(proxySecret);
  const log = openLog({ level, metrics, tableRequests: () => 0 });
  return toHandler({ dispatch, clock, ids: openIds(), log, frontDoor });
}
