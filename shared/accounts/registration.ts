import type { Request } from '../core/http/message.ts';
import type { Context } from '../core/routing/route.ts';
import { firstAccountEntity } from '../table/entities/deployment.ts';
import { detailError } from '../values/errors/errors.ts';
import { isLoopbackName } from '../values/source-address.ts';

const elsewhere =
  'Registration is open to this machine only, and this request came from a page of another site or through a ' +
  'proxy. Start the server with --registration open, or send the key of an invitation as invitation_key.';

type Registering = Pick<Context, 'platform' | 'request'>;

/** What a client may need to register: nothing, the code of a new deployment, or an invitation. */
export const signUps = ['open', 'set_up_code', 'invitation'] as const;

/** Returns what a client needs to register. */
export async function signUpOf({ platform, request }: Registering) {
  const { registration } = platform.settings;
  const isOpen = registration === 'open' || (registration === 'local' && isLocal(request));
  if (isOpen) return 'open';
  // the code is printed where registration is closed
  const isSetUp = registration === 'local' || (await firstAccountEntity.read(platform.store));
  return isSetUp ? 'invitation' : 'set_up_code';
}

/**
 * Checks that the caller may create an account without an invitation.
 *
 * @throws ApiError 400 where registration is closed; 403 where it is open to this machine and the request may come from
 *   elsewhere
 */
export function checkRegistration({ platform, request }: Registering): void {
  switch (platform.settings.registration) {
    case 'open':
      return;
    case 'closed':
      throw detailError(400, 'Registration disabled.', 'registration_closed');
    case 'local':
      if (!isLocal(request)) throw detailError(403, elsewhere, 'registration_closed');
  }
}

/**
 * Returns whether a program of this machine, or a page that it serves, made a request. A loopback connection is no
 * proof: browsers open them for pages of any site, by an address or by a name that its owner has pointed here, and
 * proxies and tunnels open them for any client.
 */
function isLocal({ headers }: Request): boolean {
  const { host = '', origin } = headers;
  return (
    isLoopbackName(host.replace(/:\d*$/, '')) &&
    (origin === undefined || isLocalOrigin(origin)) &&
    !Object.entries(headers).some(([name, value]) => isForwarding(name, value))
  );
}

/** Development servers are on other ports of this machine. `null` is the origin of pages that may be of any site. */
function isLocalOrigin(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackName(new URL(origin).hostname);
}

/** The server appends its own values to these, after a comma where a value exists. */
const added = new Set(['x-forwarded-for', 'x-forwarded-port', 'x-forwarded-proto']);
const forwarding =
  /^(via|cdn-loop|forwarded|x-(original-)?forwarded.*|x-real-ip|(.+-)?(client|connecting)-ip|cf-.+|x-envoy-.+)$/;

function isForwarding(name: string, value = ''): boolean {
  return added.has(name) ? value.includes(',') : forwarding.test(name);
}
