import { openClient, ResponseError } from '../../../shared/clients/client.ts';
import { ExplainedError } from '../errors/describe-error.ts';

/** The address and the password of an account. */
export interface AccountLogin {
  readonly email: string;
  readonly password: string;
}

const unknownEmail = 'Invalid email.';
const wrongPassword = 'Invalid password.';

/**
 * Returns the key of an account; undefined when there is none with this address.
 *
 * @throws ExplainedError for a wrong password
 */
export async function logIn(url: string, login: AccountLogin): Promise<string | undefined> {
  try {
    const { body } = await openClient(url)({ path: '/v1.1/account/auth/', body: login });
    return receivedKey(body.account_key, url);
  } catch (error) {
    const detail = error instanceof ResponseError ? error.response.body.detail : undefined;
    if (detail === unknownEmail) return undefined;
    if (detail !== wrongPassword) throw error;
    throw new ExplainedError(`wrong password for ${login.email} on ${url}`, { cause: error });
  }
}

/**
 * Returns a key that a server has sent, which becomes a line of `.env`: shells run that file.
 *
 * @throws Error for anything else
 */
export function receivedKey(value: unknown, url: string): string {
  if (typeof value === 'string' && /^[\w-]{1,200}$/.test(value)) return value;
  const shown = (JSON.stringify(value) ?? 'nothing').slice(0, 100);
  throw new Error(`${url} has responded with ${shown}, which is not a key`);
}
