import { createHmac } from 'node:crypto';
import * as v from 'valibot';
import { type ProvenUser, requestsOf, type ServiceCall, ServiceError } from './service-call.ts';
import { profileAddresses } from './services.ts';

const githubUser = v.object({ id: v.pipe(v.number(), v.safeInteger()) });
const githubEmails = v.array(
  v.object({ email: v.string(), primary: v.boolean(), verified: v.boolean() }),
);
const facebookUser = v.object({ id: v.pipe(v.string(), v.regex(/^\d{1,40}$/)) });

type Profile = Pick<ProvenUser, 'subject' | 'email'>;

/**
 * Requests the profile of the user of an access token, at a service without identity tokens. The token was exchanged for
 * a code with the app's own secret, so no other app can have got it.
 */
export function profileOf(call: ServiceCall, token: string): Promise<Profile> {
  return call.provider.kind === 'facebook'
    ? facebookProfile(call, token)
    : githubProfile(call, token);
}

async function githubProfile(call: ServiceCall, token: string): Promise<Profile> {
  const [user, emails] = await Promise.all([
    ask(call, githubUser, profileAddresses.github, token),
    ask(call, githubEmails, profileAddresses.githubEmails, token),
  ]);
  const email = emails.find(({ primary, verified }) => primary && verified)?.email;
  return { subject: String(user.id), email };
}

/** Facebook does not say whether it has verified an address, so none is used. */
async function facebookProfile(call: ServiceCall, token: string): Promise<Profile> {
  const secret = (await call.secret()) ?? '';
  const proof = createHmac('sha256', secret).update(token).digest('hex');
  const query = new URLSearchParams({ fields: 'id', appsecret_proof: proof });
  const { id } = await ask(call, facebookUser, `${profileAddresses.facebook}?${query}`, token);
  return { subject: id, email: undefined };
}

async function ask<Shape extends v.GenericSchema>(
  call: ServiceCall,
  shape: Shape,
  url: string,
  token: string,
): Promise<v.InferOutput<Shape>> {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
  const response = await requestsOf(call)(url, { method: 'GET', headers });
  if (response.status !== 200) throw new ServiceError(`profile ${response.status}`);
  const parsed = v.safeParse(shape, await response.json());
  if (!parsed.success) throw new ServiceError('profile of another form');
  return parsed.output;
}
