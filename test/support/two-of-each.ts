import { newJob } from '../../shared/jobs/jobs.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { scheduleJob } from '../../shared/schedules/schedule-record.ts';
import type { Api } from './api.ts';
import { plantDeadLetter } from './dead-letters.ts';
import { proofTo } from './mails.ts';
import { instanceId } from './stored-records.ts';

/*
 * Requests that use each operation of the map for two tenants, and for two things of each: classes, scripts, channels
 * and so on, which have the same numbers and fields of the same names, and otherwise differ. A process that takes one of
 * them for another gives another response.
 */

/** Which of the things a step is about. */
export interface Turn {
  /** The tenant, 0 or 1. */
  readonly tenant: number;
  /** The thing, 0 or 1. */
  readonly at: number;
  /** Ids, names and keys by name; those of earlier responses are added. */
  readonly names: Record<string, string>;
}

/** A request that is sent in each turn; or once for each tenant. */
export interface Step {
  /** Method and path, with names of the turn in braces. */
  readonly call: string;
  readonly as?: 'owner' | 'guest' | 'app' | 'user' | 'nobody';
  readonly isOfTenant?: boolean;
  readonly body?: (turn: Turn, api: Api) => unknown;
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  readonly keep?: (body: any) => Readonly<Record<string, unknown>>;
  /** What happens before the request without one. */
  readonly before?: (api: Api, turn: Turn) => Promise<void>;
}

/** Schemas with fields of the same names, and values for them, by tenant and thing. */
const schemas = [
  [
    { types: ['integer', 'text', 'string'], values: [7, '8', '9'] },
    { types: ['string', 'integer', 'text'], values: ['7', 8, 'public'] },
  ],
  [
    { types: ['float', 'array', 'object'], values: [7.5, ['8'], { f: 9 }] },
    {
      types: ['boolean', 'object', 'geopoint'],
      values: [true, { g: 8 }, { latitude: 1, longitude: 2 }],
    },
  ],
];

const fieldNames = ['f', 'g', 'h'];

function classOf({ tenant, at }: Pick<Turn, 'tenant' | 'at'>) {
  const { types = [], values = [] } = schemas[tenant]?.[at] ?? {};
  return {
    schema: fieldNames.map((name, n) => ({
      name,
      type: types[n],
      ...(n === 0 && { filter_index: true, order_index: true }),
    })),
    values: Object.fromEntries(fieldNames.map((name, n) => [name, values[n]])),
  };
}

const of = ({ tenant, at }: Turn) => `of tenant ${tenant}, thing ${at}`;
const text = (turn: Turn) => ({ description: of(turn) });
const values = (turn: Turn) => classOf(turn).values;
const profile = ({ tenant }: Turn) => classOf({ tenant, at: 0 });

/** Returns the names of a turn before any response. */
export function firstNames(tenant: number, at: number): Record<string, string> {
  const one = (...names: readonly string[]) => names[at] ?? '';
  return {
    i: `/v1.1/instances/shop-${tenant}`,
    old: `/v1/instances/shop-${tenant}`,
    instance: `shop-${tenant}`,
    owner: `owner-${tenant}@example.com`,
    n: `${at + 1}`,
    other: `${2 - at}`,
    class: one('book', 'paper'),
    endpoint: one('newest', 'oldest'),
    template: one('card', 'page'),
    channel: one('news', 'talk'),
    script: one('greet', 'count'),
    hook: one('hook', 'hooked'),
    device: one('phone', 'tablet'),
    token: one('a1b2c3d4', 'd4c3b2a1').repeat(8),
  };
}

const tenant = true;
const person = ({ tenant }: Turn) => `person-${tenant}@example.com`;
const password = 'a secret';
const queries = ['', '?query={"f":{"_eq":"7"}}', '?query={"f":{"_exists":true}}&order_by=-f'];
const script = (turn: Turn) => ({
  runtime_name: 'nodejs_v8',
  source: `console.log(${JSON.stringify(of(turn))});`,
  label: of(turn),
});
const endpointOf = (turn: Turn) => ({
  ...text(turn),
  class: turn.names.class,
  query: { f: { _exists: true } },
});
const template = (turn: Turn) => ({
  content: `${of(turn)}: {{ word }} {% if response is defined %}{{ response }}{% endif %}`,
  content_type: 'text/plain',
});
const schedule = (turn: Turn, word: string) => ({
  label: of(turn),
  interval_sec: 86_400,
  [word]: turn.at + 1,
});
const trigger = (turn: Turn, word: string) => ({
  label: of(turn),
  signal: 'post_update',
  class: turn.names.class,
  [word]: turn.at + 1,
});
const tokenKey = {
  development_token_key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----',
  development_key_id: 'ABCDE12345',
  development_team_id: 'FGHIJ67890',
  development_bundle_identifier: 'com.example.app',
};
const gcm = (turn: Turn) => ({ content: { environment: 'development', data: { of: of(turn) } } });
const apns = (turn: Turn) => ({
  content: { environment: 'development', aps: { alert: of(turn) } },
});
const idOf = (name: string) => (body: { readonly id: number }) => ({ [name]: body.id });

const invitePerson: Step = {
  call: 'POST {i}/invitations/',
  isOfTenant: tenant,
  body: (turn) => ({ email: person(turn), role: 'read' }),
};

const accounts: readonly Step[] = [
  {
    call: 'POST /v1.1/account/register/',
    as: 'nobody',
    isOfTenant: tenant,
    body: ({ names, tenant: n }) => ({ email: names.owner, password, first_name: `Ada ${n}` }),
    keep: ({ account_key }) => ({ key: account_key }),
  },
  {
    call: 'POST /v1.1/account/resend_email/',
    as: 'nobody',
    isOfTenant: tenant,
    body: ({ names }) => ({ email: names.owner }),
  },
  {
    call: 'POST /v1.1/account/activate/',
    as: 'nobody',
    isOfTenant: tenant,
    body: ({ names }, api) => proofTo(api, names.owner ?? ''),
  },
  {
    call: 'POST /v1.1/account/auth/facebook/',
    as: 'nobody',
    isOfTenant: tenant,
    body: (turn) => ({ access_token: person(turn) }),
    keep: ({ account_key }) => ({ guest: account_key }),
  },
  {
    call: 'POST /v1.1/account/password/set/',
    as: 'guest',
    isOfTenant: tenant,
    body: () => ({ password }),
  },
  {
    call: 'PUT /v1.1/account/',
    isOfTenant: tenant,
    body: ({ names, tenant: n }) => ({ email: names.owner, first_name: `Ada ${n}`, last_name: '' }),
  },
  {
    call: 'PATCH /v1.1/account/',
    isOfTenant: tenant,
    body: ({ tenant: n }) => ({ metadata: { n } }),
  },
  { call: 'GET /v1.1/account/', isOfTenant: tenant },
  {
    call: 'POST /v1.1/account/password/reset/',
    as: 'nobody',
    isOfTenant: tenant,
    body: ({ names }) => ({ email: names.owner }),
  },
  {
    call: 'POST /v1.1/account/password/reset/confirm/',
    as: 'nobody',
    isOfTenant: tenant,
    body: ({ names }, api) => ({ ...proofTo(api, names.owner ?? ''), new_password: password }),
  },
  {
    call: 'POST /v1.1/account/auth/',
    as: 'nobody',
    isOfTenant: tenant,
    body: ({ names }) => ({ email: names.owner, password }),
    keep: ({ account_key }) => ({ key: account_key }),
  },
  {
    call: 'POST /v1.1/account/password/',
    isOfTenant: tenant,
    body: () => ({ current_password: password, new_password: password }),
  },
  ...['/', '/v1.1/', '/v1/'].map((path) => ({ call: `GET ${path}`, isOfTenant: tenant })),
];

const instances: readonly Step[] = [
  {
    call: 'POST /v1.1/instances/',
    isOfTenant: tenant,
    body: (turn) => ({ name: turn.names.instance, ...text(turn) }),
  },
  { call: 'PUT {i}/', isOfTenant: tenant, body: text },
  { call: 'PATCH {i}/', isOfTenant: tenant, body: text },
  {
    call: 'PUT {i}/snippets/config/',
    isOfTenant: tenant,
    body: (turn) => ({ config: text(turn) }),
  },
  {
    call: 'PATCH {i}/snippets/config/',
    isOfTenant: tenant,
    body: ({ tenant: n }) => ({ config: { n } }),
  },
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
  { call: 'DELETE /v1.1/account/invitations/{declined}/', as: 'guest', isOfTenant: tenant },
  { ...invitePerson, keep: ({ id, key }) => ({ accepted: id, invitationKey: key }) },
  { call: 'GET /v1.1/account/invitations/', as: 'guest', isOfTenant: tenant },
  { call: 'GET /v1.1/account/invitations/{accepted}/', as: 'guest', isOfTenant: tenant },
  {
    call: 'POST /v1.1/account/invitations/accept/',
    as: 'guest',
    isOfTenant: tenant,
    body: ({ names }) => ({ invitation_key: names.invitationKey }),
  },
  {
    call: 'GET {i}/admins/',
    isOfTenant: tenant,
    keep: ({ objects }) => ({ admin: objects.at(-1)?.id }),
  },
  { call: 'PUT {i}/admins/{admin}/', isOfTenant: tenant, body: () => ({ role: 'write' }) },
  { call: 'PATCH {i}/admins/{admin}/', isOfTenant: tenant, body: () => ({ role: 'read' }) },
];

const data: readonly Step[] = [
  {
    call: 'PATCH {i}/classes/user_profile/',
    isOfTenant: tenant,
    body: (turn) => ({ schema: profile(turn).schema }),
  },
  {
    call: 'POST {i}/classes/',
    body: (turn) => ({ name: turn.names.class, ...text(turn), schema: classOf(turn).schema }),
  },
  { call: 'GET {i}/classes/{class}/' },
  { call: 'POST {i}/classes/{class}/objects/', body: values, keep: idOf('object') },
  { call: 'POST {i}/classes/{class}/objects/', body: values, keep: idOf('second') },
  ...queries.map((query) => ({ call: `GET {i}/classes/{class}/objects/${query}` })),
  { call: 'POST {i}/classes/{class}/objects/{object}/', body: (turn) => ({ h: values(turn).h }) },
  { call: 'PUT {i}/classes/{class}/objects/{object}/', body: values },
  { call: 'PATCH {i}/classes/{class}/objects/{object}/', body: (turn) => ({ g: values(turn).g }) },
  { call: 'PATCH {i}/classes/{class}/objects/{second}/', body: () => ({ f: 'not for all' }) },
  { call: 'POST {i}/classes/{class}/uploads/', body: () => ({ filename: 'film.mp4' }) },
  {
    call: 'PUT {i}/classes/{class}/',
    body: (turn) => ({ ...text(turn), schema: classOf(turn).schema }),
  },
  { call: 'PATCH {i}/classes/{class}/', body: text },
  { call: 'GET {i}/classes/{class}/migration/' },
  {
    call: 'POST {i}/endpoints/data/',
    body: (turn) => ({ name: turn.names.endpoint, ...endpointOf(turn) }),
  },
  { call: 'PUT {i}/endpoints/data/{endpoint}/', body: endpointOf },
  { call: 'PATCH {i}/endpoints/data/{endpoint}/', body: () => ({ order_by: '-f' }) },
  { call: 'POST {i}/endpoints/data/{endpoint}/post/', body: values },
  { call: 'POST {i}/endpoints/data/{endpoint}/clear_cache/', body: () => ({}) },
  { call: 'GET {i}/endpoints/data/{endpoint}/get/' },
  {
    call: 'POST {i}/snippets/templates/',
    body: (turn) => ({ name: turn.names.template, ...template(turn) }),
  },
  {
    call: 'PUT {i}/snippets/templates/{template}/',
    body: (turn) => ({ name: turn.names.template, ...template(turn) }),
  },
  {
    call: 'PATCH {i}/snippets/templates/{template}/',
    body: (turn) => ({ context: { word: of(turn) } }),
  },
  {
    call: 'POST {i}/snippets/templates/{template}/render/',
    body: (turn) => ({ context: { word: of(turn) } }),
  },
  { call: 'GET {i}/endpoints/data/{endpoint}/get/?template_response={template}' },
  { call: 'GET {i}/classes/{class}/objects/?template_response={template}' },
  {
    call: 'POST {i}/batch/',
    body: (turn) => ({
      requests: [
        {
          method: 'POST',
          path: `${turn.names.i}/classes/${turn.names.class}/objects/`,
          body: values(turn),
        },
        {
          method: 'PATCH',
          path: `${turn.names.i}/classes/${turn.names.class}/objects/${turn.names.object}/`,
          body: values(turn),
        },
        { method: 'GET', path: `${turn.names.i}/classes/book/objects/` },
        { method: 'GET', path: `${turn.names.i}/classes/paper/objects/` },
      ],
    }),
  },
];

const people: readonly Step[] = [
  {
    call: 'POST {i}/users/',
    as: 'app',
    body: (turn) => ({ username: `u${turn.at}`, password, profile: profile(turn).values }),
    keep: ({ user_key }) => ({ user: user_key }),
  },
  { call: 'PUT {i}/users/{n}/', body: ({ at }) => ({ username: `u${at}`, password }) },
  { call: 'PATCH {i}/users/{n}/', body: (turn) => ({ profile: profile(turn).values }) },
  { call: 'PATCH {i}/users/{n}/', body: () => ({ profile: { f: 'not for all' } }) },
  { call: 'GET {i}/user/', as: 'user' },
  { call: 'PUT {i}/user/', as: 'user', body: ({ at }) => ({ username: `u${at}`, password }) },
  { call: 'PATCH {i}/user/', as: 'user', body: (turn) => ({ profile: profile(turn).values }) },
  { call: 'POST {i}/user/auth/', as: 'app', body: ({ at }) => ({ username: `u${at}`, password }) },
  {
    call: 'POST {i}/user/auth/facebook/',
    as: 'app',
    body: (turn) => ({ access_token: person(turn) }),
  },
  { call: 'POST {i}/groups/', body: (turn) => ({ label: of(turn) }) },
  { call: 'PUT {i}/groups/{n}/', body: (turn) => ({ label: of(turn), ...text(turn) }) },
  { call: 'PATCH {i}/groups/{n}/', body: text },
  { call: 'POST {i}/users/{n}/groups/', body: ({ at }) => ({ group: at + 1 }) },
  { call: 'POST {i}/groups/{n}/users/', body: ({ at }) => ({ user: 2 - at }) },
  {
    call: 'POST {i}/import/',
    body: (turn) => ({
      kind: 'groups',
      records: [{ id: 7 + turn.at, name: null, label: of(turn), description: '' }],
    }),
  },
  ...['users', 'groups', 'objects&class={class}'].map((kind) => ({
    call: `GET {i}/export/?kind=${kind}`,
  })),
  {
    call: 'POST {i}/users/{n}/reset_key/',
    body: () => undefined,
    keep: ({ user_key }) => ({ user: user_key }),
  },
];

const channels: readonly Step[] = [
  {
    call: 'POST {i}/channels/',
    body: (turn) => ({ name: turn.names.channel, ...text(turn), custom_publish: true }),
  },
  {
    call: 'PUT {i}/channels/{channel}/',
    body: (turn) => ({ ...text(turn), custom_publish: true }),
  },
  { call: 'PATCH {i}/channels/{channel}/', body: text },
  {
    call: 'POST {i}/channels/{channel}/publish/',
    body: (turn) => ({ payload: text(turn) }),
    keep: idOf('message'),
  },
  { call: 'GET {i}/channels/{channel}/poll/?last_id=0' },
  { call: 'GET {i}/channels/{channel}/stream/?last_id=0' },
];

const push: readonly Step[] = [
  {
    call: 'PUT {i}/push_notifications/gcm/config/',
    isOfTenant: tenant,
    body: (turn) => ({ development_api_key: of(turn) }),
  },
  {
    call: 'PATCH {i}/push_notifications/gcm/config/',
    isOfTenant: tenant,
    body: (turn) => ({ production_api_key: of(turn) }),
  },
  { call: 'PUT {i}/push_notifications/apns/config/', isOfTenant: tenant, body: () => tokenKey },
  {
    call: 'PATCH {i}/push_notifications/apns/config/',
    isOfTenant: tenant,
    body: ({ tenant: n }) => ({ development_bundle_identifier: `com.example.shop${n}` }),
  },
  {
    call: 'POST {i}/push_notifications/apns/config/remove_certificate/',
    isOfTenant: tenant,
    body: () => ({ production_certificate: true }),
  },
  ...(['gcm', 'apns'] as const).flatMap((service): readonly Step[] => {
    const list = `{i}/push_notifications/${service}`;
    const name = service === 'gcm' ? 'device' : 'token';
    const message = service === 'gcm' ? gcm : apns;
    return [
      {
        call: `POST ${list}/devices/`,
        body: (turn) => ({ registration_id: turn.names[name], label: of(turn), user: turn.at + 1 }),
      },
      { call: `PUT ${list}/devices/{${name}}/`, body: (turn) => ({ label: of(turn) }) },
      { call: `PATCH ${list}/devices/{${name}}/`, body: (turn) => ({ metadata: text(turn) }) },
      { call: `POST ${list}/devices/{${name}}/send_message/`, body: message },
      {
        call: `POST ${list}/messages/`,
        body: (turn) => ({
          content: { ...message(turn).content, registration_ids: [turn.names[name]] },
        }),
      },
    ];
  }),
];

const linked = [
  'endpoints/scripts/p/{link}/',
  'endpoints/scripts/p/{link}/{script}/',
  'sockets/endpoints/scripts/p/{link}/',
  'sockets/endpoints/scripts/p/{link}/{script}/',
];

const scripts: readonly Step[] = [
  { call: 'POST {i}/snippets/scripts/', body: script },
  { call: 'PUT {i}/snippets/scripts/{n}/', body: script },
  { call: 'PATCH {i}/snippets/scripts/{n}/', body: text },
  { call: 'GET {i}/snippets/scripts/runtimes/' },
  { call: 'POST {i}/snippets/scripts/{n}/run/', body: () => ({}) },
  {
    call: 'GET {i}/snippets/scripts/{n}/traces/',
    keep: ({ objects }) => ({ trace: objects[0]?.id }),
  },
  { call: 'POST {i}/snippets/scripts/{n}/traces/{trace}/retry/', body: () => ({}) },
  {
    call: 'POST {i}/endpoints/scripts/',
    body: (turn) => ({ name: turn.names.script, script: turn.at + 1, public: true }),
    keep: ({ public_link }) => ({ link: public_link }),
  },
  {
    call: 'PUT {i}/endpoints/scripts/{script}/',
    body: ({ at }) => ({ script: at + 1, public: true }),
  },
  { call: 'PATCH {i}/endpoints/scripts/{script}/', body: text },
  {
    call: 'POST {i}/endpoints/scripts/{script}/reset_link/',
    body: () => undefined,
    keep: ({ public_link }) => ({ link: public_link }),
  },
  ...['GET', 'POST'].flatMap((method) => [
    ...linked.map((path) => ({ call: `${method} {i}/${path}`, as: 'nobody' as const })),
    { call: `${method} {i}/endpoints/scripts/{script}/run/` },
  ]),
  {
    call: 'GET {i}/endpoints/scripts/{script}/traces/',
    keep: ({ objects }) => ({ hookTrace: objects[0]?.id }),
  },
  { call: 'POST {i}/endpoints/scripts/{script}/traces/{hookTrace}/retry/', body: () => ({}) },
  {
    call: 'POST {old}/webhooks/',
    body: (turn) => ({ name: turn.names.hook, codebox: turn.at + 1, public: true }),
  },
  { call: 'GET {old}/webhooks/' },
  { call: 'GET {old}/webhooks/{hook}/' },
  { call: 'PUT {old}/webhooks/{hook}/', body: ({ at }) => ({ codebox: at + 1, public: true }) },
  { call: 'PATCH {old}/webhooks/{hook}/', body: text },
  { call: 'POST {old}/webhooks/{hook}/reset_link/', body: () => undefined },
  {
    call: 'POST {old}/webhooks/{hook}/rename/',
    body: ({ names }) => ({ new_name: `${names.hook}-2` }),
    keep: ({ name }) => ({ hook: name }),
  },
  { call: 'DELETE {old}/webhooks/{hook}/' },
  ...(['schedules', 'triggers'] as const).flatMap((list): readonly Step[] => {
    const make = list === 'schedules' ? schedule : trigger;
    return [
      { call: `POST {i}/${list}/`, body: (turn) => make(turn, 'script'), keep: idOf('own') },
      { call: `PUT {i}/${list}/{own}/`, body: (turn) => make(turn, 'script') },
      { call: `PATCH {i}/${list}/{own}/`, body: (turn) => ({ label: `${of(turn)} again` }) },
      { call: `POST {old}/${list}/`, body: (turn) => make(turn, 'codebox'), keep: idOf('own') },
      { call: `GET {old}/${list}/` },
      { call: `GET {old}/${list}/{own}/` },
      { call: `PUT {old}/${list}/{own}/`, body: (turn) => make(turn, 'codebox') },
      { call: `PATCH {old}/${list}/{own}/`, body: (turn) => ({ label: `${of(turn)} again` }) },
      { call: `DELETE {old}/${list}/{own}/` },
    ];
  }),
  {
    call: 'GET {i}/schedules/{n}/traces/',
    before: runSchedule,
    keep: ({ objects }) => ({ scheduleTrace: objects[0]?.id }),
  },
  { call: 'GET {i}/schedules/{n}/traces/{scheduleTrace}/' },
  { call: 'POST {i}/schedules/{n}/traces/{scheduleTrace}/retry/', body: () => ({}) },
  { call: 'PATCH {i}/classes/{class}/objects/{object}/', body: values },
  { call: 'PATCH {i}/triggers/1/', isOfTenant: tenant, body: () => ({ class: 'paper' }) },
  ...queries.map((query) => ({ call: `GET {i}/classes/{class}/objects/${query}` })),
  {
    call: 'PATCH {i}/classes/{class}/objects/{object}/',
    body: (turn) => ({ ...values(turn), owner_permissions: 'full', g: null }),
  },
  { call: 'PATCH {i}/classes/{class}/objects/{object}/', body: values },
  {
    call: 'GET {i}/triggers/2/traces/',
    isOfTenant: tenant,
    keep: ({ objects }) => ({ triggerTrace: objects[0]?.id }),
  },
  { call: 'GET {i}/triggers/2/traces/{triggerTrace}/', isOfTenant: tenant },
  {
    call: 'POST {i}/triggers/2/traces/{triggerTrace}/retry/',
    isOfTenant: tenant,
    body: () => ({}),
  },
];

/** Runs a schedule before its time. */
async function runSchedule(api: Api, { names, at }: Turn): Promise<void> {
  const path = `${names.i}/schedules/${at + 1}/`;
  const { scheduled_next: time } = (await api.send({ as: names.key, path })).body;
  const instance = await instanceId(api.platform.store, names.instance ?? '');
  const task = { instance, schedule: at + 1, time };
  await maintain(api.platform, [newJob(api.platform, scheduleJob, task)]);
  await api.platform.idle();
}

const plant = (api: Api, { names }: Turn) => plantDeadLetter(api, names.instance ?? '');

const operations: readonly Step[] = [
  { call: 'POST {i}/backups/full/', body: text, isOfTenant: tenant, keep: idOf('spare') },
  { call: 'POST {i}/backups/full/', body: text, isOfTenant: tenant, keep: idOf('saved') },
  { call: 'POST {i}/backups/full/', body: text, isOfTenant: tenant, keep: idOf('backup') },
  { call: 'GET /v1.1/backups/full/', isOfTenant: tenant },
  { call: 'GET /v1.1/backups/', isOfTenant: tenant },
  { call: 'GET /v1.1/backups/full/{saved}/', isOfTenant: tenant },
  { call: 'DELETE /v1.1/backups/full/{saved}/', isOfTenant: tenant },
  { call: 'DELETE {i}/backups/full/{spare}/', isOfTenant: tenant },
  ...[
    'GET {i}/dead_letters/{letter}/',
    'POST {i}/dead_letters/{letter}/replay/',
    'DELETE {i}/dead_letters/{letter}/',
  ].flatMap((call): readonly Step[] => [
    {
      call: 'GET {i}/dead_letters/',
      isOfTenant: tenant,
      before: plant,
      keep: ({ objects }) => ({ letter: objects[0]?.id }),
    },
    { call, isOfTenant: tenant },
  ]),
  { call: 'GET /v1.1/schema/', isOfTenant: tenant },
  { call: 'GET /v1.1/usage/', isOfTenant: tenant },
  { call: 'GET /v1.1/usage/hourly/', isOfTenant: tenant },
  { call: 'GET /v1.1/usage/daily/', isOfTenant: tenant },
];

/** Reads of everything that there is. */
const reads: readonly Step[] = [
  ...[
    '',
    'snippets/',
    'endpoints/',
    'push_notifications/',
    'push_notifications/gcm/',
    'push_notifications/apns/',
    'limits/',
    'backups/',
    'backups/full/',
    'backups/full/{backup}/',
    'restores/',
    'snippets/config/',
    'push_notifications/gcm/config/',
    'push_notifications/apns/config/',
    'admins/',
    'admins/{admin}/',
  ].map((path) => ({ call: `GET {i}/${path}`, isOfTenant: tenant })),
  { call: 'GET /v1.1/instances/', isOfTenant: tenant },
  ...[
    'invitations/',
    'invitations/{invitation}/',
    'api_keys/',
    'api_keys/{n}/',
    'api_keys/{n}/aliases/',
    'classes/',
    'classes/{class}/',
    'classes/{class}/objects/{object}/',
    ...queries.map((query) => `classes/{class}/objects/${query}`),
    'users/',
    'users/{n}/',
    'groups/',
    'groups/{n}/',
    'users/{n}/groups/',
    'users/{n}/groups/{n}/',
    'groups/{n}/users/',
    'groups/{n}/users/{other}/',
    'endpoints/data/',
    'endpoints/data/{endpoint}/',
    'endpoints/data/{endpoint}/get/',
    'snippets/templates/',
    'snippets/templates/{template}/',
    'channels/',
    'channels/{channel}/',
    'channels/{channel}/history/',
    'channels/{channel}/history/{message}/',
    'push_notifications/gcm/devices/',
    'push_notifications/gcm/devices/{device}/',
    'push_notifications/gcm/messages/',
    'push_notifications/gcm/messages/1/',
    'push_notifications/apns/devices/',
    'push_notifications/apns/devices/{token}/',
    'push_notifications/apns/messages/',
    'push_notifications/apns/messages/1/',
    'snippets/scripts/',
    'snippets/scripts/{n}/',
    'snippets/scripts/{n}/traces/',
    'snippets/scripts/{n}/traces/{trace}/',
    'endpoints/scripts/',
    'endpoints/scripts/{script}/',
    'endpoints/scripts/{script}/traces/',
    'endpoints/scripts/{script}/traces/{hookTrace}/',
    'schedules/',
    'schedules/{n}/',
    'triggers/',
    'triggers/{n}/',
  ].map((path) => ({ call: `GET {i}/${path}` })),
];

const restored: readonly Step[] = [
  {
    call: 'POST {i}/restores/',
    isOfTenant: tenant,
    body: ({ names }) => ({ backup: Number(names.backup) }),
    keep: idOf('restore'),
  },
  { call: 'GET {i}/restores/{restore}/', isOfTenant: tenant },
];

const ends: readonly Step[] = [
  ...['data', 'scripts'].map(
    (kind): Step => ({
      call: `POST {i}/endpoints/${kind}/{${kind === 'data' ? 'endpoint' : 'script'}}/rename/`,
      body: ({ names }) => ({ new_name: `${names.class}-2` }),
      keep: ({ name }) => ({ [kind === 'data' ? 'endpoint' : 'script']: name }),
    }),
  ),
  {
    call: 'POST {i}/snippets/templates/{template}/rename/',
    body: ({ names }) => ({ new_name: `${names.class}-2` }),
    keep: ({ name }) => ({ template: name }),
  },
  ...[
    'push_notifications/gcm/devices/{device}/',
    'push_notifications/apns/devices/{token}/',
    'triggers/{n}/',
    'schedules/{n}/',
    'endpoints/scripts/{script}/',
    'snippets/scripts/{n}/',
    'endpoints/data/{endpoint}/',
    'snippets/templates/{template}/',
    'channels/{channel}/',
    'users/{n}/groups/{n}/',
    'groups/{n}/users/{other}/',
    'groups/{n}/',
    'users/{n}/',
    'classes/{class}/objects/{object}/',
    'classes/{class}/',
    'api_keys/{n}/aliases/',
    'invitations/{invitation}/',
  ].map((path) => ({ call: `DELETE {i}/${path}` })),
  { call: 'POST {i}/api_keys/{n}/reset_key/', body: () => undefined },
  { call: 'DELETE {i}/api_keys/{n}/' },
  { call: 'DELETE {i}/admins/{admin}/', isOfTenant: tenant },
  {
    call: 'POST {i}/rename/',
    isOfTenant: tenant,
    body: ({ names }) => ({ new_name: `${names.instance}-2` }),
    keep: ({ name }) => ({ i: `/v1.1/instances/${name}` }),
  },
  { call: 'DELETE {i}/', isOfTenant: tenant },
  { call: 'POST /v1.1/account/reset_key/', isOfTenant: tenant, body: () => undefined },
];

/** All steps, in their order. */
export const steps: readonly Step[] = [
  ...accounts,
  ...instances,
  ...data,
  ...people,
  ...channels,
  ...push,
  ...scripts,
  ...operations,
  ...reads,
  ...restored,
  ...reads,
  ...ends,
];
