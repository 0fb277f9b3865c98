import { setTimeout } from 'node:timers/promises';
import { routes } from '../../functions/api.ts';
import { consumers, jobTypes } from '../../functions/jobs.ts';
import { createServe } from '../../shared/core/http/edge.ts';
import type { Dispatch } from '../../shared/core/http/message.ts';
import { createHeadCheck, type HeadCheck } from '../../shared/core/pipeline/admission.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import type { Caches } from '../../shared/core/routing/caches.ts';
import { letterJob } from '../../shared/jobs/dead-letters.ts';
import { runDue } from '../../shared/jobs/jobs.ts';
import { type LocalPlatform, openPlatform } from '../../shared/platforms/local/platform.ts';
import type { PushSettings } from '../../shared/platforms/local/push/local-push.ts';
import { openRuns } from '../../shared/platforms/local/scripts/runs.ts';
import { startServer } from '../../shared/platforms/local/server/server.ts';
import type {
  Clock,
  Log,
  LogEntry,
  Mailer,
  Platform,
  PushSender,
  Settings,
} from '../../shared/ports/ports.ts';
import type { Store, Write } from '../../shared/store/store.ts';
import { createItem, putItem } from '../../shared/store/writes.ts';
import {
  groupEntity,
  membershipEntity,
  userEntity,
  usernameEntity,
} from '../../shared/table/entities/users.ts';
import { encodeText } from '../../shared/table/index-keys.ts';
import type { GroupData } from '../../shared/table/records/records.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { openMeter } from '../../shared/usage/meter.ts';
import { keyText } from '../../shared/values/keys/credentials.ts';
import { ownerOfData } from '../../shared/values/keys/data-ids.ts';
import { openTestTable } from '../aws-emulator/dynamodb.ts';
import { behindGateway } from '../aws-emulator/gateway-event.ts';
import { drainFileJobs } from './drain-file-jobs.ts';
import { type Call, type Credentials, sendRaw } from './http-client.ts';
import { makeLate } from './late-store.ts';
import { medium } from './medium.ts';
import { makeMoved } from './moved-store.ts';
import { type FileRecorder, openFileRecorder } from './recording-files.ts';
import { instanceId } from './stored-records.ts';

export type { Call, Credentials };

/** The real local platform behind a real socket, with everything in memory. */
export interface Api {
  readonly url: string;
  readonly platform: LocalPlatform;
  /** The log of the platform so far. */
  readonly logged: readonly LogEntry[];
  /** Compares writes and deletions of files with their owners; `close` throws when one was of others. */
  readonly files: FileRecorder;
  send(call: Call): Promise<ApiResponse>;
  /** Lets index reads return all writes so far, for tests that expect them in a list: they may be late. */
  settle(): void;
  close(): Promise<void>;
}

/** The response; `body` is parsed JSON, or the text that was no JSON. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
  readonly body: any;
}

const settings: Settings = {
  registration: 'open',
  maxInstances: 16,
  maxClasses: 100,
  location: 'local',
  passwordCost: medium === 'roles' ? 10 : 5, // a deployment takes 10 and more; some files check hundreds of passwords
  userMail: 'on',
  pollMs: 50, // tests that send each request of the interface do not wait
};

const lag = 2; // writes that the indexes of a late store lack

/** Options of the platform in a test. */
export interface ApiOptions {
  readonly settings?: Partial<Settings>;
  /** Puts a wrapper around the store, to count or to disturb. */
  readonly wrap?: (store: Store) => Store;
  readonly clock?: Clock;
  /** Receives each line of the log as well. */
  readonly log?: Log;
  readonly social?: Platform['social'];
  /** Sends requests to addresses of instances; the platform's own when absent. */
  readonly egress?: Platform['egress'];
  readonly mailer?: Mailer;
  readonly push?: PushSender;
  /** How pushes are sent; they go into the outbox when absent. */
  readonly pushing?: PushSettings;
  /** What the process caches; all that it does when absent. */
  readonly caches?: Caches;
  /** The data folder; in memory when absent. */
  readonly folder?: string;
}

/** Returns the ports of the options, which replace those of the platform. */
function givenPorts({ clock, social, egress, push, mailer, pushing }: ApiOptions) {
  return {
    ...(clock && { clock }),
    ...(social && { social }),
    ...(egress && { egress }),
    ...(push && { push }),
    ...(mailer && { openMailer: () => mailer }),
    ...(pushing && { pushing }),
  };
}

/** Starts the platform. */
export async function startApi(options: ApiOptions = {}): Promise<Api> {
  const logged: LogEntry[] = [];
  const place = { url: '' }; // known when it listens
  const recorder = openFileRecorder(options.folder);
  const { wrap } = options;
  const opened = await openPlatform({
    url: () => place.url,
    folder: options.folder,
    background: { consumers, jobTypes },
    settings: { ...settings, ...options.settings },
    log: (entry) => {
      logged.push(entry);
      options.log?.(entry);
    },
    ...givenPorts(options),
    wrapFiles: recorder.wrap,
  });
  if (medium === 'roles') {
    const { deploy } = await import('../aws-emulator/deployment.ts');
    const deployment = await deploy({ ...opened, wrap, isFixed: options.clock !== undefined });
    const backend = { ...deployment, serve: behindGateway(deployment.handler), place };
    const { open, receive, forms, signed, close } = opened.files; // unused: S3 has the files
    const files = Object.assign(deployment.ports.files, { open, receive, forms, signed, close });
    return listen(backend, { ...opened, ...deployment.ports, files }, { logged, recorder });
  }
  const nowMs = () => opened.clock.micros() / 1000;
  const table = medium === 'dynamodb' ? await openTestTable(nowMs) : undefined;
  const late = medium === 'late' ? makeLate(opened.store, lag) : undefined;
  const moved = medium === 'restored' ? makeMoved(opened.store) : undefined;
  const store = table ?? late ?? moved ?? opened.store;
  const used = wrap?.(store) ?? store;
  const platform = {
    ...opened,
    store: used,
    ...(table ? portsOn(opened, used) : used !== opened.store && runsOn(opened, used)),
  };
  const dispatch = platform.track(
    createDispatch(routes, platform, {
      renderer: responseTemplates,
      caches: options.caches,
    }),
  );
  const serve = createServe({ ...platform, dispatch });
  const headCheck = createHeadCheck(routes, platform);
  const backend = { serve, headCheck, place, settle: late?.catchUp, close: table?.close };
  return listen(backend, platform, { logged, recorder });
}

/** What serves the requests of the socket. */
interface Backend {
  readonly serve: Dispatch;
  /** Absent behind a gateway, which reads whole bodies and serves no files. */
  readonly headCheck?: HeadCheck;
  /** Receives its address. */
  readonly place: { url: string };
  /** Throws if an event since its last call must fail the test. */
  readonly check?: () => void;
  /** Absent where indexes are never late. */
  readonly settle?: (() => void) | undefined;
  /** Releases resources outside of the platform. */
  readonly close?: (() => Promise<void>) | undefined;
}

async function listen(
  { serve, headCheck, place, check, settle, close }: Backend,
  platform: LocalPlatform,
  { logged, recorder }: Pick<Api, 'logged'> & { readonly recorder: FileRecorder },
): Promise<Api> {
  const { files, ...others } = platform;
  const server = await startServer({
    ...others,
    serve,
    host: '127.0.0.1',
    port: 0,
    ...(headCheck && { headCheck, files }),
  });
  place.url = server.url;
  return {
    url: server.url,
    platform,
    logged,
    files: recorder,
    send: async (call) => {
      const response = await send(server.url, call);
      check?.();
      return response;
    },
    settle: () => settle?.(),
    close: async () => {
      await server.stop();
      if (medium !== 'roles') await drainFileJobs(platform); // its functions have ended
      await close?.();
      await platform.close();
      check?.();
      recorder.check();
    },
  };
}

/** Features that use the table, where they are not the platform's own. */
function portsOn(opened: LocalPlatform, store: Store) {
  const meter = openMeter({ ...opened, store });
  const runs = openRuns({ ...opened, store, meter });
  const messages = opened.messages.over(store);
  const idle = async () => {
    await workOn({ ...opened, runs }, store);
    await runs.idle();
  };
  return { meter, runs, messages, idle };
}

/** Runs of scripts that store their traces where requests read them. */
function runsOn(opened: LocalPlatform, store: Store) {
  const runs = openRuns({ ...opened, store });
  return {
    runs,
    messages: opened.messages.over(store),
    idle: async () => {
      await opened.idle();
      await runs.idle();
    },
    close: async () => {
      await opened.scripts.close();
      await runs.idle();
      await opened.close();
    },
  };
}

const soonMs = 500;

/** Runs the jobs of a table, which have no other runner here. */
async function workOn(platform: LocalPlatform, store: Store): Promise<void> {
  const settled = () => Promise.resolve();
  const context = { ...platform, store, settled, endedBefore: () => Promise.resolve(true) };
  const kinds = [...jobTypes, letterJob(consumers)];
  for (;;) {
    const next = await runDue({ kinds, context, isEnding: () => false });
    const restMs = (next ?? Number.POSITIVE_INFINITY) - platform.clock.micros() / 1000;
    if (restMs > soonMs) return;
    await setTimeout(Math.max(restMs, 1)); // retried after a write conflict
  }
}

async function send(url: string, call: Call): Promise<ApiResponse> {
  const { pathname, search } = new URL(url + call.path); // escaped
  const { status, headers, body } = await sendRaw(url, { ...call, path: pathname + search });
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  );
  return { status, headers: new Headers(entries), body };
}

/** A deployment with one account that owns one instance. */
export interface World {
  readonly api: Api;
  readonly instance: string;
  /** Path of the instance with its last slash: `/v1.1/instances/blog-1/`. */
  readonly base: string;
  /** Key of the account that owns the instance. */
  readonly owner: string;
  /** Creates another account and returns its key. */
  account(email: string): Promise<string>;
  /** Creates an API key with these flags and returns its text. */
  apiKey(flags?: Readonly<Record<string, boolean>>): Promise<string>;
  /** Creates a class; returns its path with its last slash. */
  dataClass(name: string, schema: readonly object[], more?: object): Promise<string>;
  /** Waits until a class whose indexes have changed is ready. */
  ready(name: string): Promise<void>;
  /** Sends a request inside the instance: `path` is below it. */
  call(as: Credentials, method: string, path: string, body?: unknown): Promise<ApiResponse>;
  /** Sends a request of the owner inside the instance. */
  own(method: string, path: string, body?: unknown): Promise<ApiResponse>;
  /** Creates an item by a POST of the owner, and returns it: the status must be 201. */
  create(path: string, body?: unknown): Promise<ApiResponse['body']>;
  /** Returns what the owner reads at a path: the status must be 200. */
  read(path: string): Promise<ApiResponse['body']>;
}

/** Registers an account and creates its instance. */
export async function openWorld(api: Api, instance = 'blog-1'): Promise<World> {
  const owner = await register(api, `owner-of-${instance}@example.com`);
  return openInstance(api, instance, owner);
}

/** Creates another instance of an account, given by its key. */
export async function openInstance(api: Api, instance: string, owner: string): Promise<World> {
  expected(await api.send({ as: owner, path: '/v1.1/instances/', body: { name: instance } }), 201);
  const base = `/v1.1/instances/${instance}/`;
  const call: World['call'] = (as, method, path, body) =>
    api.send({ as, method, path: base + path, ...(body === undefined ? {} : { body }) });
  const own: World['own'] = (method, path, body) => call(owner, method, path, body);
  const create: World['create'] = async (path, body) =>
    expected(await own('POST', path, body), 201);
  const read: World['read'] = async (path) => expected(await own('GET', path), 200);
  return {
    api,
    instance,
    base,
    owner,
    call,
    own,
    create,
    read,
    account: (email) => register(api, email),
    apiKey: async (flags = {}) => (await create('api_keys/', flags)).api_key,
    dataClass: async (name, schema, more = {}) => {
      await create('classes/', { name, schema, ...more });
      return `${base}classes/${name}/`;
    },
    ready: async (name) => {
      while ((await read(`classes/${name}/`)).status !== 'ready') {
        await setTimeout(5);
        await api.platform.idle();
      }
    },
  };
}

async function register(api: Api, email: string): Promise<string> {
  const body = { email, password: 'a password' };
  return expected(await api.send({ path: '/v1.1/account/register/', body }), 201).account_key;
}

/** Returns the body of a response that must have this status. */
export function expected(
  response: Pick<ApiResponse, 'status' | 'body'>,
  status: number,
): ApiResponse['body'] {
  if (response.status !== status) {
    throw new Error(`expected ${status}, got ${response.status}: ${JSON.stringify(response.body)}`);
  }
  return response.body;
}

/** One case of a table: caller, request, and the whole response. */
export interface Scenario {
  readonly name: string;
  readonly as?: Credentials;
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** The whole expected body. */
  readonly response?: unknown;
}

/**
 * Puts a user with this id, who is in these groups, directly into the store, without password and profile, and
 * returns the user's key. The interface chooses ids by itself.
 */
export async function plantUser(
  world: World,
  id: number,
  groups: readonly number[] = [],
): Promise<string> {
  const { store, secrets } = world.api.platform;
  const scope = await instanceId(store, world.instance);
  const { version, secret } = await secrets.current();
  const username = `user-${id}`;
  const keyed = { secret_version: version, generation: 1 };
  await plant(world, [
    createItem(userEntity, userEntity.key(scope, id), {
      id,
      username,
      groups,
      profile: 0,
      ...keyed,
    }),
    createItem(usernameEntity, usernameEntity.key(scope, encodeText(username)), { user: id }),
    ...groups.map((group) => putItem(groupEntity, groupEntity.key(scope, group), newGroup(group))),
    ...groups.map((group) =>
      createItem(membershipEntity, membershipEntity.key(scope, group, id), { user: id }),
    ),
  ]);
  const claims = {
    kind: 'user',
    version,
    scope: ownerOfData(scope),
    record: id,
    generation: 1,
  } as const;
  return keyText(claims, secret);
}

/** Puts a group with this id and without members directly into the store. */
export async function plantGroup(world: World, id: number): Promise<void> {
  const scope = await instanceId(world.api.platform.store, world.instance);
  await plant(world, [createItem(groupEntity, groupEntity.key(scope, id), newGroup(id))]);
}

function newGroup(id: number): GroupData {
  return { id, name: null, label: '', description: '' };
}

async function plant({ api }: World, writes: readonly Write[]): Promise<void> {
  const { store, ids } = api.platform;
  const change = { actor: {}, cause: 'maintenance', depth: 0 } as const;
  await store.write({ id: ids.random(), change, writes });
}
