import { isIP } from 'node:net';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Request } from '../../../core/http/message.ts';
import { proxySecretHeader } from '../../../ports/proxy-header.ts';
import { pathNotFound } from '../../../values/errors/errors.ts';
import { createSecretCheck } from '../../../values/keys/secret-check.ts';
import { once } from '../once.ts';

/**
 * Returns a request as it reached the distribution in front of the gateway.
 *
 * @throws ApiError 404 for a request that has bypassed it
 */
export type ReadForwarded = (request: Request) => Promise<Request>;

/**
 * Opens the check of requests that pass a distribution. Its secret is fetched with the first request.
 *
 * @param secret ARN of the secret; undefined: nothing is in front of the gateway
 */
export function openFrontDoor(
  secret: string | undefined,
  client = new SecretsManagerClient({}),
): ReadForwarded | undefined {
  if (secret === undefined) return undefined;
  const fetchCheck = once(async () => {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secret }));
    if (!SecretString) throw new Error('the secret of the front door is empty');
    return createSecretCheck(SecretString);
  });
  return async (request) => {
    const { [proxySecretHeader]: sent, ...headers } = request.headers;
    const isSecret = await fetchCheck();
    if (!isSecret(sent)) throw pathNotFound('path_unknown');
    return { ...request, headers, sourceAddress: clientAddress(request) };
  };
}

/**
 * Returns the address that the distribution has appended to `X-Forwarded-For`. The gateway may append that of the
 * distribution, which is the address that it sees; entries further left come from the client.
 */
function clientAddress({ headers, sourceAddress }: Request): string {
  const hops = (headers['x-forwarded-for'] ?? '').split(',').map((hop) => hop.trim());
  if (hops.at(-1) === sourceAddress) hops.pop();
  const address = hops.at(-1) ?? '';
  return isIP(address) === 0 ? sourceAddress : address;
}
