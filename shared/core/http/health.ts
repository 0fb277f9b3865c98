import type { Store } from '../../store/store.ts';
import { checkDataVersion, dataVersion } from '../../table/data-version.ts';
import type { Request, Response } from './message.ts';

/** Returns whether a request is the probe of a load balancer or a container: no part of the interface, and no route. */
export function isProbe({ method, path }: Request): boolean {
  return /^\/health\/?$/.test(path) && (method === 'GET' || method === 'HEAD');
}

/**
 * Responds to a probe: it costs one read, and nothing is written (docs/reference/responses.md#health).
 *
 * @throws ApiError 503 when the store cannot be written; the error of the store when it cannot be read
 */
export async function respondToProbe(store: Store): Promise<Response> {
  store.checkWritable?.();
  await checkDataVersion(store, dataVersion);
  return { status: 200, body: { status: 'ok' } };
}
