import { routes } from '../../functions/api.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import type { Platform } from '../../shared/ports/ports.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';

/** A request to a process without a socket. */
interface DirectCall {
  readonly method?: string;
  readonly path: string;
  readonly key?: string;
  /** The JSON body. */
  readonly value?: unknown;
  readonly from?: string;
}

/** Sends a request through another process of a deployment, which has read no record yet. */
export function sendElsewhere(platform: Platform, call: DirectCall): Promise<Response> {
  const { method = 'POST', path, key, value = {}, from = '127.0.0.1' } = call;
  return createDispatch(routes, platform, { renderer: responseTemplates })({
    id: 'test',
    method,
    path,
    headers: key === undefined ? {} : { 'x-api-key': key },
    query: new URLSearchParams(),
    body: { kind: 'json', value },
    sourceAddress: from,
  });
}
