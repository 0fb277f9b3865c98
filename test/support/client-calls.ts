import syncano from 'syncano';
import { type Api, openWorld, startApi } from './api.ts';
import { moveInstance, type Place } from './move-instance.ts';

/** A connection of the client, or one of its models: untyped, as they get members at run time. */
export type Client = syncano.Connection;

/**
 * Opens a connection of the client.
 *
 * @param options keys, and `defaults` for the names in paths; each connection gets `defaults` of its own, as the
 *   client shares one object among all that have none
 */
export function connect(baseUrl: string, options: Readonly<Record<string, unknown>> = {}): Client {
  return syncano({ baseUrl, defaults: {}, ...options });
}

const isImported = process.env.TEST_IMPORTED === 'true'; // set by a project of the configuration

/**
 * Creates an account with an instance, and opens a connection with its key and the name of the instance. Where a run
 * asks for it, records were imported into this instance.
 */
export async function connectOwner(api: Api): Promise<Client> {
  const { owner, instance } = await openWorld(api);
  if (isImported) await importRecords({ url: api.url, instance, key: owner });
  return connect(api.url, { accountKey: owner, defaults: { instanceName: instance } });
}

/** Imports a few records from another platform into an instance. */
async function importRecords(to: Place): Promise<void> {
  const api = await startApi();
  const { owner, call, dataClass, instance } = await openWorld(api);
  await dataClass('archived', [{ name: 'title', type: 'string', filter_index: true }]);
  await call(owner, 'POST', 'classes/archived/objects/', { title: 'old' });
  await call(owner, 'POST', 'groups/', { label: 'old' });
  await call(owner, 'POST', 'users/', { username: 'old', password: 'old' });
  await moveInstance({ url: api.url, instance, key: owner }, to);
  await api.close();
}

/** The client's form of an error response. */
export interface ClientError {
  readonly name: string;
  readonly message: string;
  /** HTTP status; absent when the client rejected by itself. */
  readonly status?: number;
}

/**
 * Runs a method of the client and returns its result. Errors are reduced to name, message and status: those of the
 * client contain whole sockets.
 */
export async function run(call: Client): Promise<Client> {
  const outcome = await settle(call);
  if ('error' in outcome) throw new Error(JSON.stringify(outcome.error));
  return outcome.value;
}

/** Runs a method of the client that must be rejected, and returns the error. */
export async function errorOf(call: Client): Promise<ClientError> {
  const outcome = await settle(call);
  if ('error' in outcome) return outcome.error;
  throw new Error(`not rejected, but ${JSON.stringify(outcome.value)}`);
}

/** Returns the response in a model of the client, without the functions and settings that it adds. */
export function fieldsOf(model: Client): Record<string, unknown> {
  const { links, created_at, updated_at } = model;
  return JSON.parse(JSON.stringify({ ...model.toJSON(), links, created_at, updated_at }));
}

type Outcome = { readonly value: Client } | { readonly error: ClientError };

async function settle(call: Client): Promise<Outcome> {
  try {
    return { value: await started(call) };
  } catch (error) {
    const { name, message, status } = error as ClientError; // a thrown value of any other form is shown as blank
    return { error: { name, message, ...(status !== undefined && { status }) } };
  }
}

/** Runs a query set; its `then` takes one callback, so that `await` never receives a failure. */
function started(call: Client): Promise<unknown> {
  if (typeof call?.request !== 'function' || typeof call.then !== 'function') return call;
  return call.request().then(([response]: readonly unknown[]) => response);
}
