import type { Api } from '../api.ts';
import { openFakeOpenId, openFakeServices } from '../fake-services.ts';
import { codeTo, linkTokenTo } from '../mails.ts';
import { appPage, challengeOf } from '../redirect-log-in.ts';
import { of, password, type Step, type Turn } from './step.ts';

const services = openFakeServices();
const service = openFakeOpenId(services, 'https://id.example.com');

/** Sends requests of servers to the service where users log in. */
export const { egress } = services;

/** Returns how users log in at the service. */
export const logInService = ({ tenant: n }: Turn) => ({
  name: 'work',
  kind: 'oidc',
  client_id: `shop-${n}`,
  issuer: service.issuer,
  secret: `secret of shop-${n}`,
});

const address = ({ tenant: n, at }: Turn) => `member-${n}-${at}@example.com`;
const nextAddress = ({ tenant: n, at }: Turn) => `mate-${n}-${at}@example.com`;
const keepMember = ({ user_key }: { readonly user_key: string }) => ({ member: user_key });

/** The two requests of a log-in by a code. */
const codeLogIn: readonly Step[] = [
  {
    call: 'POST {i}/user/auth/code/',
    as: 'app',
    body: (turn) => ({ email: nextAddress(turn) }),
  },
  {
    call: 'POST {i}/user/auth/code/',
    as: 'app',
    body: (turn, api) => ({ email: nextAddress(turn), code: codeTo(api, nextAddress(turn)) }),
    keep: keepMember,
  },
];

/** Addresses and passwords of users. */
const addresses: readonly Step[] = [
  {
    call: 'POST {i}/user/register/',
    as: 'app',
    body: (turn) => ({ email: address(turn), username: `m${turn.at}`, password }),
    keep: ({ id, user_key }) => ({ memberId: id, member: user_key }),
  },
  { call: 'GET {i}/user/email/', as: 'member' },
  { call: 'GET {i}/user/email/confirm/', as: 'nobody' },
  {
    call: 'POST {i}/user/email/confirm/',
    as: 'nobody',
    body: (turn, api) => ({ token: linkTokenTo(api, address(turn)) }),
  },
  {
    call: 'POST {i}/user/password/reset/',
    as: 'app',
    body: (turn) => ({ email: address(turn) }),
  },
  { call: 'GET {i}/user/password/reset/confirm/', as: 'nobody' },
  {
    call: 'POST {i}/user/password/reset/confirm/',
    as: 'nobody',
    body: (turn, api) => ({ token: linkTokenTo(api, address(turn)), password }),
    keep: keepMember,
  },
  {
    call: 'POST {i}/user/email/',
    as: 'member',
    body: (turn) => ({ email: nextAddress(turn), password }),
  },
  {
    call: 'POST {i}/user/email/confirm/',
    as: 'nobody',
    body: (turn, api) => ({ token: linkTokenTo(api, nextAddress(turn)) }),
  },
];

/** Sessions of users; each is listed alone, because sessions of one second have no order. */
const sessions: readonly Step[] = [
  ...codeLogIn,
  { call: 'DELETE {i}/user/sessions/', as: 'member' },
  {
    call: 'GET {i}/user/sessions/',
    as: 'member',
    keep: ({ objects }) => ({ session: objects[0]?.id }),
  },
  { call: 'GET {i}/user/sessions/{session}/', as: 'member' },
  { call: 'GET {i}/users/{memberId}/sessions/' },
  { call: 'GET {i}/users/{memberId}/sessions/{session}/' },
  { call: 'DELETE {i}/users/{memberId}/sessions/{session}/' },
  ...codeLogIn,
  {
    call: 'GET {i}/user/sessions/',
    as: 'member',
    keep: ({ objects }) => ({ session: objects[0]?.id }),
  },
  { call: 'DELETE {i}/user/sessions/{session}/', as: 'member' },
  { call: 'DELETE {i}/users/{memberId}/sessions/' },
];

/** Guests, who delete themselves without a password. */
const guests: readonly Step[] = [
  {
    call: 'POST {i}/user/auth/guest/',
    as: 'app',
    body: () => ({}),
    keep: ({ user_key }) => ({ visitor: user_key }),
  },
  { call: 'POST {i}/user/delete/', as: 'visitor', body: () => ({}) },
];

const verifier = 'v'.repeat(43);
const beginning = new URLSearchParams({
  redirect: appPage,
  code_challenge: challengeOf(verifier),
  code_challenge_method: 'S256',
});

/** Logs a person in at the service, which proves it to the callback. */
async function proveAtService(_: Api, turn: Turn): Promise<void> {
  const sub = of(turn).replaceAll(/[ ,]+/g, '-');
  const { location = 'none:' } = turn.names;
  turn.names.proof = service.logIn(new URL(location), { sub }).toString();
}

const callbacks: readonly Step[] = [
  { call: 'GET {i}/user/auth/work/callback/?{proof}' },
  {
    call: 'POST {i}/user/auth/work/callback/',
    body: ({ names }) => new URLSearchParams(names.proof),
  },
];

/** Log-ins at the service, which sends the browser back by a link, and by a form. */
const redirects: readonly Step[] = callbacks.flatMap((callback): readonly Step[] => [
  {
    call: `GET {i}/user/auth/work/start/?key={n}&${beginning}`,
    as: 'nobody',
    keep: (_, { location }) => ({ location }),
  },
  {
    ...callback,
    as: 'nobody',
    before: proveAtService,
    keep: (_, { location = 'none:' }) => ({ logIn: new URL(location).searchParams.get('code') }),
  },
  {
    call: 'POST {i}/user/auth/exchange/',
    as: 'app',
    body: ({ names }) => ({ code: names.logIn, code_verifier: verifier }),
  },
]);

/** Accounts of users of apps. */
export const userAccounts: readonly Step[] = [
  ...addresses,
  ...sessions,
  ...guests,
  ...redirects,
  {
    call: 'POST {i}/user_settings/preview/',
    isOfTenant: true,
    body: (turn) => ({ letter: 'reset', subject: of(turn), text: '{{ app }}: {{ link }}' }),
  },
];
