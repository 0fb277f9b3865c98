import { describe, expect } from 'vitest';
import { type Credentials, plantUser, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { forbidden, missing, noClass } from '../support/responses.ts';

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const instance = '/v1.1/instances/blog-1/';

/** A field with its keys in their order (docs/reference/requests.md#options). */
function field(type: string, label: string, more: object = {}) {
  const { required = false, read_only = false, ...rest } = more as Record<string, unknown>;
  return { type, required, read_only, label, ...rest };
}

const readOnly = { read_only: true };
const required = { required: true };
const flag = (label: string) => field('boolean', label);
const created = field('datetime', 'Created at', readOnly);
const updated = field('datetime', 'Updated at', readOnly);
const description = field('string', 'Description', { max_length: 256 });
const choice = (label: string, words: readonly string[], more: object = {}) =>
  field('choice', label, {
    ...more,
    choices: words.map((word) => ({ value: word, display_name: word })),
  });
const permissions = (label: string) => choice(label, ['none', 'read', 'create_objects'], required);
const links = (targets: readonly (readonly [string, string])[]) => ({
  ...field('links', 'Links', readOnly),
  links: targets.map(([name, type]) => ({ name, type })),
});

function document(name: string, actions?: object, description = '') {
  return {
    name,
    description,
    renders: ['application/json', 'text/html'],
    parses: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
    ...(actions && { actions }),
  };
}

const classForm = {
  name: field('string', 'Name', { ...required, max_length: 50 }),
  description,
  schema: field('field', 'Schema', required),
  status: field('field', 'Status', readOnly),
  created_at: created,
  updated_at: updated,
  objects_count: field('field', 'Objects count', readOnly),
  revision: field('integer', 'Revision', { ...required, ...readOnly }),
  group: field('field', 'Group'),
  group_permissions: permissions('Group permissions'),
  other_permissions: permissions('Other permissions'),
  metadata: field('field', 'Metadata'),
  links: links([
    ['self', 'detail'],
    ['objects', 'list'],
    ['group', 'detail'],
  ]),
};

const { links: classLinks, ...classFields } = classForm;
const classUpdate = {
  ...classFields,
  name: { ...classForm.name, read_only: true },
  expected_revision: field('integer', 'Expected revision'),
  links: classLinks,
};

const keyForm = {
  id: field('integer', 'ID', readOnly),
  description,
  api_key: field('field', 'Api key', readOnly),
  ignore_acl: flag('Ignore acl'),
  allow_user_create: flag('Allow user create'),
  allow_group_create: flag('Allow group create'),
  allow_anonymous_read: flag('Allow anonymous read'),
  created_at: created,
  links: links([
    ['self', 'detail'],
    ['reset_key', 'key'],
  ]),
};

const email = field('email', 'Email address', { ...required, max_length: 254 });
const names = {
  first_name: field('string', 'First name', { max_length: 64 }),
  last_name: field('string', 'Last name', { max_length: 64 }),
};
const account = {
  id: field('integer', 'ID', readOnly),
  email,
  ...names,
  is_active: field('boolean', 'Active', {
    ...readOnly,
    help_text: 'Whether the e-mail address has been confirmed. It blocks nothing.',
  }),
  has_password: field('field', 'Has password', readOnly),
  metadata: field('field', 'Metadata'),
};

const instanceName = { ...required, min_length: 5, max_length: 64 };
const instanceForm = (targets: readonly (readonly [string, string])[]) => ({
  name: field('string', 'Name', instanceName),
  description,
  owner: { ...field('nested object', 'Owner', readOnly), children: account },
  created_at: created,
  updated_at: updated,
  role: field('field', 'Role', readOnly),
  location: field('string', 'Location', readOnly),
  metadata: field('field', 'Metadata'),
  links: links(targets),
});
const lists = (...words: string[]) => words.map((name) => [name, 'list'] as const);
const instanceLinks = [
  ['self', 'detail'],
  ...lists('admins', 'snippets', 'endpoints', 'push_notification', 'classes', 'invitations'),
  ...lists('api_keys', 'triggers', 'schedules', 'users', 'groups', 'channels'),
  ['batch', 'batch'],
  ['rename', 'rename'],
  ...lists('scripts', 'script_runtimes', 'backups', 'restores'),
] as const;
const onlyNew = ['snippets', 'endpoints', 'scripts', 'script_runtimes'];
const olderLinks = [
  ...instanceLinks.filter(([name]) => !onlyNew.includes(name)),
  ...lists('codeboxes', 'runtimes', 'webhooks', 'hla_objects', 'templates'),
] as const;

const password = field('string', 'Password', { ...required, max_length: 128 });
const schemaAbout = 'Every path, method, parameter, field, right and response of the interface.';
const keysAbout = 'Manage API keys available for given instance.';

const role = choice('Role', ['full', 'write', 'read']);
const answered = (type: string, label: string) => field(type, label, readOnly);
const adminForm = {
  id: answered('field', 'ID'),
  role,
  email: answered('field', 'Email'),
  first_name: answered('field', 'First name'),
  last_name: answered('field', 'Last name'),
  links: links([['self', 'detail']]),
};
const invitationForm = {
  id: answered('integer', 'ID'),
  email: field('email', 'Email', { ...required, max_length: 254 }),
  role,
  key: answered('string', 'Key'),
  inviter: answered('string', 'Inviter'),
  created_at: created,
  updated_at: updated,
  state: answered('choice', 'State'),
  links: links([
    ['self', 'detail'],
    ['resend', 'resend'],
  ]),
};
const invitationUpdate = {
  ...invitationForm,
  email: { ...invitationForm.email, read_only: true },
};
const proof = {
  uid: field('string', 'Uid', required),
  token: field('string', 'Token', required),
};
const invitationKey = { max_length: 128 };
const registration = {
  id: field('integer', 'ID', readOnly),
  email,
  password,
  ...names,
  invitation_key: field('string', 'Invitation key', invitationKey),
};
const acceptance = {
  invitation_key: field('string', 'Invitation key', { ...required, ...invitationKey }),
};
const newPassword = field('string', 'New password', { ...required, max_length: 128 });
const toEmail = { email: invitationForm.email };
const batchItem = {
  method: choice('Method', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], required),
  path: field('string', 'Path', { ...required, max_length: 8192 }),
  body: field('field', 'Body'),
};
const child = { type: 'nested object', required: true, read_only: false, children: batchItem };
const instances = instanceForm(instanceLinks);
const instanceUpdate = {
  ...instances,
  name: field('string', 'Name', { ...instanceName, ...readOnly }),
};

type Row = readonly [
  writers: string,
  readers: string,
  path: string,
  name: string,
  actions: object,
  about?: string,
];

/** The actions are described to writers only. */
const documents: readonly Row[] = [
  ['write', 'read key', 'classes/', 'Klass List', { POST: classForm }],
  ['owner', 'read', 'classes/note/', 'Klass Instance', { PUT: classUpdate }],
  ['owner', '', 'classes/missing/', 'Klass Instance', { PUT: classUpdate }],
  ['full', 'key', 'api_keys/', 'Api Key List', { POST: keyForm }, keysAbout],
  ['full', '', 'api_keys/1/', 'Api Key Instance', { PUT: keyForm }, keysAbout],
  ['full', 'key', 'api_keys/99/', 'Api Key Instance', { PUT: keyForm }, keysAbout],
  ['full', '', 'api_keys/1/reset_key/', 'Api Key Reset Key', { POST: {} }, keysAbout],
  ['owner read', 'key', '/v1.1/instances/', 'Instance List', { POST: instances }],
  ['owner', '', '/v1/instances/', 'Instance List', { POST: instanceForm(olderLinks) }],
  ['full', 'read', '', 'Instance Instance', { PUT: instanceUpdate }],
  [
    'owner',
    'full',
    'rename/',
    'Instance Rename',
    { POST: { new_name: field('string', 'New name', instanceName) } },
  ],
  ['', 'read full', 'admins/', 'Admin List', {}],
  ['full', 'read', 'admins/99/', 'Admin Instance', { PUT: adminForm }],
  ['full', 'read', 'invitations/', 'Invitation List', { POST: invitationForm }],
  ['owner', '', 'invitations/9/', 'Invitation Instance', { PUT: invitationUpdate }],
  ['owner', '', 'invitations/9/resend/', 'Invitation Resend', { POST: {} }],
  ['full', 'read', 'snippets/config/', 'Config', { PUT: { config: field('field', 'Config') } }],
  [
    'read',
    '',
    'batch/',
    'Batch',
    { POST: { requests: field('field', 'Requests', { ...required, child }) } },
  ],
  ['read', '', '/v1.1/account/', 'Account', { PUT: account }],
  ['owner', '', '/v1.1/account/reset_key/', 'Account Reset Key', { POST: {} }],
  ['', 'read', '/v1.1/account/invitations/', 'Account Invitation List', {}],
  ['', 'read', '/v1.1/account/invitations/9/', 'Account Invitation Instance', {}],
  [
    'read',
    '',
    '/v1.1/account/invitations/accept/',
    'Account Invitation Accept',
    { POST: acceptance },
  ],
  [
    'nobody',
    '',
    '/v1.1/account/auth/',
    'Auth',
    { POST: { email, password: field('string', 'Password', required) } },
  ],
  ['nobody', '', '/v1.1/account/register/', 'Register', { POST: registration }],
  ['nobody', '', '/v1.1/account/activate/', 'Activate', { POST: proof }],
  ['nobody', '', '/v1.1/account/resend_email/', 'Resend Email', { POST: toEmail }],
  ['nobody', '', '/v1.1/account/password/reset/', 'Password Reset', { POST: toEmail }],
  [
    'nobody',
    '',
    '/v1.1/account/password/reset/confirm/',
    'Password Reset Confirm',
    { POST: { ...proof, new_password: newPassword } },
  ],
  [
    'nobody',
    '',
    '/v1.1/account/auth/github/',
    'Social Auth',
    { POST: { access_token: field('string', 'Access token', required) } },
  ],
  ['', 'nobody', '/v1.1/schema/', 'Schema', {}, schemaAbout],
];
const callersIn = (text: string) => text.split(' ').filter((name) => name !== '');
const described = documents.flatMap(([writers, readers, path, name, actions, about]) => [
  ...callersIn(writers).map((who) => [who, path, document(name, actions, about)] as const),
  ...callersIn(readers).map((who) => [who, path, document(name, undefined, about)] as const),
]);

describe('a description', () => {
  it.for(described)('to %s of %s', async ([caller, path, response], { given: { describeTo } }) => {
    const { status, body } = await describeTo(
      caller,
      path.startsWith('/') ? path : instance + path,
    );

    expect([status, body]).toEqual([200, response]);
    expect(orderOf(body)).toEqual(orderOf(response));
  });

  it('of objects includes the fields of their class', async ({ given: { describeTo } }) => {
    const { body } = await describeTo('write', `${instance}classes/note/objects/`);

    expect(body.actions.POST).toMatchObject({
      text: field('string', 'Text', { max_length: 128 }),
      size: field('integer', 'Size'),
    });
  });
});

describe('actions on objects include those that the class allows', () => {
  it.for([
    ['none', undefined],
    ['read', undefined],
    ['create_objects', ['POST']],
  ])('%s', async ([other_permissions, list], { api, world, given: { newUser } }) => {
    const path = await world.dataClass(
      `of_${other_permissions}`,
      [{ name: 'secret', type: 'string' }],
      {
        other_permissions,
        group_permissions: 'none',
      },
    );
    const user = await newUser();

    const call = { as: user, method: 'OPTIONS', path: `${path}objects/` };
    const { status, body } = await api.send(call);

    expect(status).toBe(other_permissions === 'none' ? 403 : 200);
    if (status === 403) expect(body).toEqual(forbidden); // a class that is not readable is not described
    expect(body.actions && Object.keys(body.actions)).toEqual(list);
  });

  it('include those of one object, which may be changed where it may be read', async ({
    api,
    world,
    given: { newUser },
  }) => {
    const path = await world.dataClass('changeable', [{ name: 'size', type: 'integer' }], {
      other_permissions: 'read',
      group_permissions: 'none',
    });
    const user = await newUser();

    const { body } = await api.send({ as: user, method: 'OPTIONS', path: `${path}objects/1/` });

    expect(Object.keys(body.actions)).toEqual(['PUT']);
    expect(body.actions.PUT.size).toEqual(
      field('integer', 'Size', { min_value: -2147483648, max_value: 2147483647 }),
    );
  });
});

describe('a caller without read permission gets no description', () => {
  it.for<[string, string, number, object]>([
    ['key', '/v1.1/account/', 403, forbidden],
    ['write', 'api_keys/', 403, forbidden],
    ['read', 'api_keys/1/', 403, forbidden],
    ['key', 'classes/note/objects/', 403, forbidden],
    ['owner', '/v1.1/instances/nowhere/', 404, missing],
    ['owner', '/v1.1/instances/nowhere/classes/', 404, { detail: 'Instance was not found.' }],
    ['owner', 'classes/none/objects/', 404, noClass],
    ['owner', 'nothing/', 404, missing],
  ])('%s of %s', async ([caller, path, status, response], { given: { describeTo } }) => {
    const result = await describeTo(caller, path.startsWith('/') ? path : instance + path);

    expect(result).toEqual({ status, body: response });
  });
});

async function setUp(world: World) {
  await world.dataClass('note', [
    { name: 'text', type: 'string' },
    { name: 'size', type: 'integer' },
  ]);
  const callers: Readonly<Record<string, Credentials>> = {
    owner: world.owner,
    full: await joinAs(world, 'full'),
    write: await joinAs(world, 'write'),
    read: await joinAs(world, 'read'),
    key: await world.apiKey(),
    nobody: undefined,
  };
  async function describeTo(caller: string, path: string) {
    const call = { as: callers[caller], method: 'OPTIONS', path };
    const { status, body } = await world.api.send(call);
    return { status, body };
  }
  let nextUser = 70;
  const newUser = async () => ({
    key: await world.apiKey(),
    user: await plantUser(world, nextUser++),
  });
  return { describeTo, newUser };
}

/** All keys, from the outside in, in their order: a description is read by people too. */
function orderOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.entries(value).map(([name, below]) => [name, orderOf(below)]);
}
