import { proofTo } from '../mails.ts';
import { appPage, challengeOf } from '../redirect-log-in.ts';
import { idOf, password, person, type Step, text } from './step.ts';
import { logInService } from './user-accounts.ts';

const verifier = 'w'.repeat(43);

const invitePerson: Step = {
  call: 'POST {i}/invitations/',
  isOfTenant: true,
  body: (turn) => ({ email: person(turn), role: 'read' }),
};

/** Accounts: the owner of each tenant, and a guest. */
export const accounts: readonly Step[] = [
  {
    call: 'POST /v1.1/account/register/',
    as: 'nobody',
    isOfTenant: true,
    body: ({ names, tenant: n }) => ({ email: names.owner, password, first_name: `Ada ${n}` }),
    keep: ({ account_key }) => ({ key: account_key }),
  },
  {
    call: 'POST /v1.1/account/resend_email/',
    as: 'nobody',
    isOfTenant: true,
    body: ({ names }) => ({ email: names.owner }),
  },
  {
    call: 'POST /v1.1/account/activate/',
    as: 'nobody',
    isOfTenant: true,
    body: ({ names }, api) => proofTo(api, names.owner ?? ''),
  },
  {
    call: 'POST /v1.1/account/auth/facebook/',
    as: 'nobody',
    isOfTenant: true,
    body: (turn) => ({ access_token: person(turn) }),
    keep: ({ account_key }) => ({ guest: account_key }),
  },
  {
    call: 'POST /v1.1/account/password/set/',
    as: 'guest',
    isOfTenant: true,
    body: () => ({ password }),
  },
  {
    call: 'PUT /v1.1/account/',
    isOfTenant: true,
    body: ({ names, tenant: n }) => ({ email: names.owner, first_name: `Ada ${n}`, last_name: '' }),
  },
  {
    call: 'PATCH /v1.1/account/',
    isOfTenant: true,
    body: ({ tenant: n }) => ({ metadata: { n } }),
  },
  { call: 'GET /v1.1/account/', isOfTenant: true },
  {
    call: 'POST /v1.1/account/password/reset/',
    as: 'nobody',
    isOfTenant: true,
    body: ({ names }) => ({ email: names.owner }),
  },
  {
    call: 'POST /v1.1/account/password/reset/confirm/',
    as: 'nobody',
    isOfTenant: true,
    body: ({ names }, api) => ({ ...proofTo(api, names.owner ?? ''), new_password: password }),
  },
  {
    call: 'POST /v1.1/account/auth/',
    as: 'nobody',
    isOfTenant: true,
    body: ({ names }) => ({ email: names.owner, password }),
    keep: ({ account_key }) => ({ key: account_key }),
  },
  {
    call: 'POST /v1.1/account/auth/code/',
    isOfTenant: true,
    body: () => ({ code_challenge: challengeOf(verifier) }),
    keep: ({ code }) => ({ code }),
  },
  {
    call: 'POST /v1.1/account/auth/exchange/',
    as: 'nobody',
    isOfTenant: true,
    body: ({ names }) => ({ code: names.code, code_verifier: verifier }),
    keep: ({ account_key }) => ({ key: account_key }),
  },
  {
    call: 'POST /v1.1/account/password/',
    isOfTenant: true,
    body: () => ({ current_password: password, new_password: password }),
  },
  ...['/', '/v1.1/', '/v1/', '/v1.1/deployment/'].map((path) => ({
    call: `GET ${path}`,
    isOfTenant: true,
  })),
];

/** Instances, and who administers them. */
export const instances: readonly Step[] = [
  {
    call: 'POST /v1.1/instances/',
    isOfTenant: true,
    body: (turn) => ({ name: turn.names.instance, ...text(turn) }),
  },
  { call: 'PUT {i}/', isOfTenant: true, body: text },
  { call: 'PATCH {i}/', isOfTenant: true, body: text },
  {
    call: 'PUT {i}/snippets/config/',
    isOfTenant: true,
    body: (turn) => ({ config: text(turn) }),
  },
  {
    call: 'PATCH {i}/snippets/config/',
    isOfTenant: true,
    body: ({ tenant: n }) => ({ config: { n } }),
  },
  {
    call: 'PUT {i}/user_settings/',
    isOfTenant: true,
    body: (turn) => ({
      email: 'optional',
      codes: true,
      redirects: [appPage],
      providers: [logInService(turn)],
      mails: { reset: { subject: 'Your password', text: JSON.stringify(text(turn).description) } },
    }),
  },
  { call: 'PATCH {i}/user_settings/', isOfTenant: true, body: () => ({ guests: true }) },
  {
    call: 'POST {i}/api_keys/',
    body: (turn) => ({ ...text(turn), ignore_acl: true, allow_user_create: true }),
    keep: ({ api_key }) => ({ app: api_key }),
  },
  {
    call: 'PUT {i}/api_keys/{n}/',
    body: (turn) => ({ ...text(turn), ignore_acl: true, allow_user_create: true }),
  },
  { call: 'PATCH {i}/api_keys/{n}/', body: text },
  {
    call: 'POST {i}/api_keys/{n}/aliases/',
    body: ({ tenant: n, at }) => ({ alias: `${n}${at}`.padEnd(40, '0123456789abcdef') }),
  },
  {
    call: 'POST {i}/invitations/',
    body: (turn) => ({ email: `${turn.tenant}-${turn.at}@example.com`, role: 'read' }),
    keep: idOf('invitation'),
  },
  { call: 'PUT {i}/invitations/{invitation}/', body: () => ({ role: 'write' }) },
  {
    call: 'PATCH {i}/invitations/{invitation}/',
    body: ({ at }) => ({ role: at === 0 ? 'read' : 'full' }),
  },
  { call: 'POST {i}/invitations/{invitation}/resend/', body: () => undefined },
  { ...invitePerson, keep: idOf('declined') },
  { call: 'DELETE /v1.1/account/invitations/{declined}/', as: 'guest', isOfTenant: true },
  { ...invitePerson, keep: ({ id, key }) => ({ accepted: id, invitationKey: key }) },
  { call: 'GET /v1.1/account/invitations/', as: 'guest', isOfTenant: true },
  { call: 'GET /v1.1/account/invitations/{accepted}/', as: 'guest', isOfTenant: true },
  {
    call: 'POST /v1.1/account/invitations/show/',
    as: 'nobody',
    isOfTenant: true,
    body: ({ names }) => ({ invitation_key: names.invitationKey }),
  },
  {
    call: 'POST /v1.1/account/invitations/accept/',
    as: 'guest',
    isOfTenant: true,
    body: ({ names }) => ({ invitation_key: names.invitationKey }),
  },
  {
    call: 'GET {i}/admins/',
    isOfTenant: true,
    keep: ({ objects }) => ({ admin: objects.at(-1)?.id }),
  },
  { call: 'PUT {i}/admins/{admin}/', isOfTenant: true, body: () => ({ role: 'write' }) },
  { call: 'PATCH {i}/admins/{admin}/', isOfTenant: true, body: () => ({ role: 'read' }) },
];
