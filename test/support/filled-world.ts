import { routes } from '../../functions/api.ts';
import type { Field, Fields } from '../../shared/core/routing/forms.ts';
import type { Route } from '../../shared/core/routing/route.ts';
import { type Version, versions } from '../../shared/core/routing/versions.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { scheduleJob } from '../../shared/schedules/schedule-record.ts';
import { scriptWord } from '../../shared/scripts/script-reference.ts';
import { putItem } from '../../shared/store/writes.ts';
import { restoreEntity } from '../../shared/table/entities/instances.ts';
import type { RestoreData } from '../../shared/table/records/backups.ts';
import { type Api, type Credentials, expected, openWorld, type World } from './api.ts';
import { plantDeadLetter } from './dead-letters.ts';
import { joinAs } from './join-as.ts';
import { apnsToken, serviceAccount } from './push.ts';
import { isSoak } from './sample.ts';
import { instanceId } from './stored-records.ts';
import { putSession, setUserSettings } from './user-sessions.ts';

/** Creates one body that contains a text, with the word of its version for a script. */
type Sample = (marker: string, script: string) => object;

/** Bodies of lists whose POST needs more than {@link sampleOfFields} has, by their paths in version 1.1. */
const samples: Readonly<Record<string, Sample>> = {
  '/instances/{instance}/invitations/': (marker) => ({
    email: `${marker.replace(/[^a-z0-9-]/g, '-')}@example.com`,
    role: 'read',
  }),
  '/instances/{instance}/classes/': (marker) => ({
    name: 'book',
    description: marker,
    metadata: { note: marker },
    schema: [
      { name: 'title', type: 'string', filter_index: true, order_index: true },
      { name: 'isbn', type: 'string', unique: true },
      { name: 'text', type: 'text' },
      { name: 'pages', type: 'integer', order_index: true },
      { name: 'price', type: 'float', filter_index: true },
      { name: 'sold', type: 'boolean', filter_index: true },
      { name: 'printed', type: 'datetime', order_index: true },
      { name: 'next', type: 'reference', target: 'self' },
      { name: 'similar', type: 'relation', target: 'self' },
      { name: 'tags', type: 'array' },
      { name: 'extra', type: 'object' },
      { name: 'place', type: 'geopoint' },
      { name: 'scan', type: 'file' },
    ],
  }),
  '/instances/{instance}/classes/{class}/objects/': (marker) => ({
    title: marker,
    isbn: `${marker}-1`,
    text: marker,
    pages: 3,
    tags: [marker],
    extra: { note: marker },
    other_permissions: 'full',
  }),
  '/instances/{instance}/endpoints/data/': (marker) => ({
    name: 'newest',
    class: 'book',
    description: marker,
    query: { title: { _exists: true } },
  }),
  '/instances/{instance}/snippets/templates/': (marker) => ({
    name: 'card',
    content: `${marker.replace(/[{}]/g, '-')} {{ note }}`,
    content_type: 'text/plain',
    context: { note: marker.slice(0, 1000) },
    description: marker.slice(0, 256),
  }),
  '/instances/{instance}/channels/': (marker) => ({
    name: 'news',
    description: marker.slice(0, 256),
    other_permissions: 'publish',
    custom_publish: true,
  }),
  '/instances/{instance}/channels/{channel}/history/': (marker) => ({ payload: { note: marker } }),
  '/instances/{instance}/users/': (marker) => ({ username: marker, password: marker, profile: {} }),
  '/instances/{instance}/users/{id}/groups/': () => ({ group: 1 }),
  '/instances/{instance}/push_notifications/gcm/devices/': (marker) => ({
    registration_id: marker.replace(/[^A-Za-z0-9_|:-]/g, '-').slice(0, 512) || '-',
    label: marker.slice(0, 80),
    metadata: { note: marker.slice(0, 1000) },
    user: 1,
  }),
  '/instances/{instance}/push_notifications/apns/devices/': (marker) => ({
    registration_id: Buffer.from(marker.padEnd(32, '-')).toString('hex').slice(0, 128),
    label: marker.slice(0, 80),
    metadata: { note: marker.slice(0, 1000) },
  }),
  '/instances/{instance}/push_notifications/gcm/messages/': (marker) => ({
    content: { environment: 'development', registration_ids: [marker], data: { note: marker } },
  }),
  '/instances/{instance}/push_notifications/apns/messages/': (marker) => ({
    content: { environment: 'production', registration_ids: [marker], aps: { alert: marker } },
  }),
  '/instances/{instance}/endpoints/scripts/': (marker) => ({
    name: 'greet',
    description: marker,
    script: 1,
    public: true,
  }),
  '/instances/{instance}/webhooks/': (marker) => ({
    name: 'greet',
    description: marker,
    codebox: 1,
    public: true,
  }),
  '/instances/{instance}/schedules/': (marker, script) => ({
    label: marker.slice(0, 80),
    description: marker.slice(0, 256),
    interval_sec: 86_400,
    [script]: 1,
  }),
  '/instances/{instance}/snippets/scripts/': (marker) => ({
    runtime_name: 'nodejs_v8',
    source: `console.log(${JSON.stringify(marker)});`,
    config: { note: marker },
    label: marker.slice(0, 80),
    description: marker.slice(0, 256),
  }),
  '/instances/{instance}/triggers/': (marker, script) => ({
    label: marker.slice(0, 80),
    description: marker.slice(0, 256),
    signal: 'post_update',
    class: 'book',
    [script]: 1,
  }),
  '/instances/{instance}/backups/full/': (marker) => ({
    label: marker.slice(0, 64),
    description: marker.slice(0, 256),
    metadata: { note: marker.slice(0, 1000) },
  }),
};

/** Lists whose item is put into the store: no request creates one, or it would replace what the other lists have. */
const planted: Readonly<Record<string, typeof plantRestore>> = {
  '/instances/{instance}/restores/': plantRestore,
  '/instances/{instance}/dead_letters/': plantLetter,
  '/instances/{instance}/users/{id}/sessions/': plantSession,
};

/** Lists that version 1 has under another path with fields of its own: their items are those of version 1.1. */
const twins: Readonly<Record<string, string>> = {
  '/instances/{instance}/endpoints/scripts/': '/instances/{instance}/webhooks/',
};

/** Lists whose items are those of another list. */
const filledByOthers: readonly string[] = ['/instances/{instance}/groups/{id}/users/'];

/** Lists that are filled by a POST to another path, with the body of the list of `like`, if any. */
const filledByCalls: Readonly<
  Record<string, { readonly to: string; readonly like?: string; readonly status?: number }>
> = {
  '/instances/{instance}/snippets/scripts/{id}/traces/': { to: '../run/' },
  '/instances/{instance}/endpoints/scripts/{endpoint}/traces/': { to: '../run/' },
  '/instances/{instance}/triggers/{id}/traces/': {
    to: '../../../classes/book/objects/1/',
    like: '/instances/{instance}/classes/{class}/objects/',
  },
  '/instances/{instance}/channels/{channel}/history/': {
    to: '../publish/',
    like: '/instances/{instance}/channels/{channel}/history/',
    status: 201,
  },
};

/** Lists that are filled by a run of their schedule. */
const filledBySchedules: readonly string[] = ['/instances/{instance}/schedules/{id}/traces/'];

/** A place of the map: a route in one version. */
export interface Place {
  readonly name: string;
  readonly route: Route;
  readonly version: Version;
  /** With `{parameters}`, version included. */
  readonly template: string;
}

const isUsed = ({ operations }: Route) => Object.keys(operations).length > 0;

/** Every path of the interface that somebody may use. */
export const places: readonly Place[] = routes.filter(isUsed).flatMap((route) =>
  route.isRoot
    ? [{ name: '/', route, version: 'v1.1' as const, template: '/' }]
    : versions.flatMap((version) => {
        const path = route.paths[version];
        const template = `/${version}${path}`;
        return path === undefined ? [] : [{ name: template, route, version, template }];
      }),
);

/**
 * Returns each route in one of its versions, which have the same handlers; in a soak run in all of them.
 *
 * @param turn another number takes the other version
 */
export function inOneVersion(wanted: readonly Place[], turn: number): readonly Place[] {
  if (isSoak) return wanted;
  const found = [...new Set(wanted.map(({ route }) => route))];
  return found.flatMap((route, at) => {
    const each = wanted.filter((place) => place.route === route);
    return each[(turn + at) % each.length] ?? [];
  });
}

/** Checks whether a place is a user's own, closed even to the owner of the instance. */
export function isForUsers({ route: { access } }: Pick<Place, 'route'>): boolean {
  return access.user !== undefined && access.owner === undefined;
}

/** Checks whether a place is for API keys, closed to all accounts and with no need of a user. */
function isForKeys({ route: { access } }: Pick<Place, 'route'>): boolean {
  const isForAccounts = access.owner !== undefined || access.account !== undefined;
  return !isForAccounts && (access.apiKey ?? access.allowUserCreate) !== undefined;
}

/** Checks whether a GET at a place runs a script: its responses differ each time. */
export function isRun({ template, route }: Place): boolean {
  return /\/run\/$|\{link\}/.test(template) && route.operations.GET !== undefined;
}

/** Checks whether a GET at a place waits for a message: in tests it mostly ends without one. */
export function isWait({ route }: Place): boolean {
  return route.operations.GET?.waits === true;
}

/** Checks whether a GET at a place sends the browser elsewhere. */
export function isRedirect({ route }: Place): boolean {
  return [302, 303].includes(route.forms.response?.status ?? 0);
}

/** Checks whether a GET at a place is a page for people, not JSON. */
export function isForPeople({ route }: Place): boolean {
  return route.operations.GET?.isForPeople === true;
}

/** A world with one of every resource of the interface. */
export interface FilledWorld extends World {
  /** Part of every text of the world's data, and of no other world's. */
  readonly marker: string;
  /** The caller with all permissions at a place: the owner of the instance, a user of it, or an API key. */
  caller(place: Place): Credentials;
  /** Returns the path of a place with the names and ids of this world. */
  path(place: Place): string;
  /** Returns the body that created a list's item, with another text in it; undefined for other lists. */
  sample(place: Place, marker?: string): object | undefined;
}

/** Creates a world and fills every list of the map. */
export async function openFilledWorld(
  api: Api,
  instance: string,
  marker: string,
): Promise<FilledWorld> {
  const world = await openWorld(api, instance);
  await configurePush(world, marker);
  const segments = new Map(versions.map((version) => [`/${version}/instances/`, instance]));
  const resolve = (template: string): string => {
    const [, list, rest] = /^(.*\/)\{\w+\}(.*)$/.exec(template) ?? [];
    if (list === undefined) return template;
    return `${resolve(list)}${segments.get(list) ?? '1'}${rest}`;
  };
  for (const { route, version, template } of places) {
    if (version !== 'v1.1' || route.kind !== 'list' || !template.includes('{instance}')) continue;
    if (isForUsers({ route })) continue; // it shows them what another list has
    const made = await makeOne(api, world.owner, {
      route,
      path: resolve(template),
      marker,
    });
    for (const [list, segment] of segmentsOf(route, made)) segments.set(list, segment);
  }
  const description = { description: marker, metadata: { note: marker } };
  expected(await world.call(world.owner, 'PATCH', '', description), 200);
  const config = { config: { note: marker } };
  expected(await world.call(world.owner, 'PUT', 'snippets/config/', config), 200);
  await configureUsers(world, marker);
  segments.set('/v1.1/instances/{instance}/user/auth/', 'github');
  const { email } = await callBy(api, world.owner, marker);
  const member = await callBy(api, await joinAs(world, 'read'), marker);
  const invitation = await inviteElsewhere(api, `host-of-${instance}`, email);
  for (const each of versions) {
    segments.set(`/${each}/instances/{instance}/admins/`, String(member.id));
    segments.set(`/${each}/account/invitations/`, String(invitation));
  }
  await api.platform.idle(); // runs have printed their output
  const [{ user_key }] = expected(await world.call(world.owner, 'GET', 'users/'), 200).objects;
  const user = { key: await world.apiKey(), user: user_key };
  const apiKey = await world.apiKey({ allow_user_create: true });
  const keyFor = (place: Place) => (isForKeys(place) ? apiKey : world.owner);
  return {
    ...world,
    marker,
    caller: (place) => (isForUsers(place) ? user : keyFor(place)),
    path: ({ template }) => resolve(template),
    sample: ({ route }, other = marker) => sampleOf(route, other),
  };
}

/** Names of items in paths, by the list before them. */
function segmentsOf(
  route: Route,
  made?: { readonly links?: { readonly self?: string }; readonly public_link?: string },
): readonly (readonly [string, string])[] {
  const segment = made?.links?.self?.split('/').at(-2) ?? '1';
  const paths = withTwin(route.paths);
  const lists = versions.map((version) => [`/${version}${paths[version]}`, segment] as const);
  const { public_link: link } = made ?? {};
  return [...lists, ...(link ? linkedPlaces.map((each) => [beforeLink(each), link] as const) : [])];
}

function withTwin(paths: Route['paths']): Route['paths'] {
  const twin = twins[paths['v1.1'] ?? ''];
  return twin === undefined ? paths : { ...paths, v1: twin };
}

/** Places that a public link leads to. */
const linkedPlaces = places.filter(({ template }) => template.includes('{link}'));

function beforeLink({ template }: Place): string {
  return template.slice(0, template.indexOf('{link}'));
}

/** Without credentials no message is accepted. */
async function configurePush({ call, owner }: World, marker: string): Promise<void> {
  const at = (provider: string) => `push_notifications/${provider}/config/`;
  const account = { ...serviceAccount, client_email: marker };
  const gcm = { development_api_key: account };
  expected(await call(owner, 'PUT', at('gcm'), gcm), 200);
  const apns = {
    ...apnsToken('production'),
    production_certificate_name: marker.slice(0, 200),
  };
  expected(await call(owner, 'PUT', at('apns'), apns), 200);
}

/** Switches on all that users may have, so that all their paths exist. */
async function configureUsers({ own }: World, marker: string): Promise<void> {
  const text = marker.replace(/[{}]/g, '-').slice(0, 1000);
  const settings = {
    email: 'optional',
    guests: true,
    codes: true,
    redirects: ['https://app.example.com/'],
    providers: [{ name: 'github', kind: 'github', client_id: 'app', secret: 'secret' }],
    mails: { reset: { subject: 'Your password', text } },
  };
  expected(await own('PATCH', 'user_settings/', settings), 200);
}

/** Sets the first name of an account. */
async function callBy(
  api: Api,
  as: string,
  first_name: string,
): Promise<{ readonly id: number; readonly email: string }> {
  const call = { as, method: 'PATCH', path: '/v1.1/account/', body: { first_name } };
  return expected(await api.send(call), 200);
}

/** Invites an address to an instance of another account; returns the invitation's id. */
async function inviteElsewhere(api: Api, instance: string, email: string): Promise<number> {
  const host = await openWorld(api, instance);
  return expected(await host.call(host.owner, 'POST', 'invitations/', { email }), 201).id;
}

/** Returns the body that creates an item of a list, with a text in it. */
function sampleOf({ kind, paths, forms }: Route, marker: string): object | undefined {
  const version = paths['v1.1'] === undefined ? 'v1' : 'v1.1';
  if (kind !== 'list') return undefined;
  return (
    samples[paths[version] ?? '']?.(marker, scriptWord[version]) ??
    sampleOfFields(forms.POST, marker)
  );
}

function sampleOfFields(fields: Fields | undefined, marker: string): object | undefined {
  if (fields === undefined) return undefined;
  const values = Object.entries(fields).map(([name, field]) => [
    name,
    sampleOfField(field, marker),
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Returns a value for a field that is required or takes a text; undefined for others. */
function sampleOfField(field: Field, marker: string): unknown {
  if (field.writable !== 'always' && field.writable !== 'create') return undefined;
  if (field.type === 'string') return marker.slice(0, field.maxLength);
  if (!field.required) return undefined;
  if (field.type === 'slug') return 'sample';
  if (field.type === 'email') return `${marker.replace(/[^a-z0-9-]/g, '-')}@example.com`;
  if (field.type === 'choice') return field.choices?.[0];
  if (field.type === 'integer') return field.minValue ?? 1;
  return undefined;
}

/** Creates an item of a list, or reads the first one of a list without POST. */
async function makeOne(
  api: Api,
  as: string,
  {
    route,
    path,
    marker,
  }: { readonly route: Route; readonly path: string; readonly marker: string },
) {
  const list = route.paths['v1.1'] ?? '';
  const isFilled = filledByOthers.includes(list);
  const call = filledByCalls[list];
  if (call !== undefined) {
    const { pathname } = new URL(call.to, `${api.url}${path}`);
    const like = samples[call.like ?? '']?.(marker, 'script');
    const request = { as, method: 'POST', path: pathname, ...(like && { body: like }) };
    return expected(await api.send(request), call.status ?? 200);
  }
  const plant = planted[list];
  await plant?.(api, as, { path, marker });
  if (filledBySchedules.includes(list)) await runSchedule(api, as, path);
  if (route.operations.POST === undefined || isFilled || plant !== undefined) {
    return expected(await api.send({ as, path }), 200).objects[0];
  }
  const body = sampleOf(route, marker);
  if (body === undefined) throw new Error(`${path} needs a line in samples`);
  return expected(await api.send({ as, path, body }), 201);
}

/** Path of a list, and the text of its item. */
interface Planting {
  readonly path: string;
  readonly marker: string;
}

/** Stores a dead letter. */
async function plantLetter(api: Api, _: string, { path, marker }: Planting): Promise<void> {
  const [, , , name = ''] = path.split('/');
  await plantDeadLetter(api, name, { error: marker });
}

/** Puts a session of the first user, in an instance where the list exists. */
async function plantSession(api: Api, _: string, { path, marker }: Planting): Promise<void> {
  const [, , , instance = ''] = path.split('/');
  await setUserSettings({ api, instance }, { email: 'optional' });
  await putSession({ api, instance }, 1, { number: 1, provider: marker });
}

/** Puts the record of a restore. */
async function plantRestore(api: Api, as: string, { path }: Planting): Promise<void> {
  const [, , , name = ''] = path.split('/');
  const instance = await instanceId(api.platform.store, name);
  const at = '2026-01-01T00:00:00.000000Z';
  const data: RestoreData = {
    id: 1,
    backup: 1,
    author: expected(await api.send({ as, path: '/v1.1/account/' }), 200).id,
    status: 'success',
    status_info: '',
    created_at: at,
    updated_at: at,
  };
  await maintain(api.platform, [putItem(restoreEntity, restoreEntity.key(instance, 1), data)]);
}

/** Runs a schedule before its time. */
async function runSchedule(api: Api, as: string, traces: string): Promise<void> {
  const { pathname } = new URL('../', `${api.url}${traces}`);
  const { id, scheduled_next } = expected(await api.send({ as, path: pathname }), 200);
  const [, , , name = ''] = pathname.split('/');
  const instance = await instanceId(api.platform.store, name);
  const task = { instance, schedule: id, time: scheduled_next };
  await maintain(api.platform, [newJob(api.platform, scheduleJob, task)]);
  await api.platform.idle();
}
