import { at, below } from '../../shared/values/text/request-path.ts';
import type { InstanceConnection, InstancePlace } from './settings.ts';

/** Returns the address of the console at an instance. */
export function consoleAddress({ url, instance }: InstancePlace): string {
  return `${url}/console/#${at`/i/${instance}`}`;
}

/** A script endpoint, as the interface shows it. */
interface ScriptEndpoint {
  readonly name: string;
  readonly public: boolean;
  readonly public_link: string;
}

/** Returns the address at which a script endpoint runs: its public link, or the one that takes a key. */
export function scriptEndpointAddress(
  { url, base }: InstancePlace,
  endpoint: ScriptEndpoint,
): string {
  const path = endpoint.public
    ? below(base)`endpoints/scripts/p/${endpoint.public_link}/`
    : below(base)`endpoints/scripts/${endpoint.name}/run/`;
  return url + path;
}

/** Returns the address at which a data endpoint lists objects. */
export function dataEndpointAddress({ url, base }: InstancePlace, name: string): string {
  return url + below(base)`endpoints/data/${name}/get/`;
}

/**
 * Returns the address of an endpoint: of scripts, or else of data.
 *
 * @throws Error when there is none of this name
 */
export async function endpointAddress(
  connection: InstanceConnection,
  name: string,
): Promise<string> {
  const { send, base } = connection;
  const expect = [200, 404];
  const script = await send({ path: below(base)`endpoints/scripts/${name}/`, expect });
  if (script.status === 200) return scriptEndpointAddress(connection, script.body);
  const data = await send({ path: below(base)`endpoints/data/${name}/`, expect });
  if (data.status === 200) return dataEndpointAddress(connection, name);
  throw new Error(`there is no endpoint ${name} in ${connection.instance}`);
}
