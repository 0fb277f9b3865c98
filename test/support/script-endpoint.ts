import { expected, type World } from './api.ts';

/** A script endpoint in responses. */
export interface MadeEndpoint {
  readonly name: string;
  readonly script: number;
  readonly public_link: string;
  readonly links: Readonly<Record<string, string>>;
}

/**
 * Creates a script and an endpoint that runs it.
 *
 * @param more of the endpoint; `config` is the script's
 */
export async function makeEndpoint(
  { call, owner }: Pick<World, 'call' | 'owner'>,
  name: string,
  source: string,
  { config = {}, runtime_name = 'nodejs_v6', ...more }: Readonly<Record<string, unknown>> = {},
): Promise<MadeEndpoint> {
  const sent = { runtime_name, source, config };
  const script = expected(await call(owner, 'POST', 'snippets/scripts/', sent), 201).id;
  const body = { name, script, ...more };
  return expected(await call(owner, 'POST', 'endpoints/scripts/', body), 201);
}
