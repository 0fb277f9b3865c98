import syncano from 'syncano';

/** A connection of the client, or one of its models: untyped, as they grow members while they run. */
export type Client = syncano.Connection;

/**
 * Opens a connection of the client.
 *
 * @param options keys, and `defaults` for the names in paths; each connection gets `defaults` of its own, as the
 *   client shares one object among all that bring none
 */
export function connect(baseUrl: string, options: Readonly<Record<string, unknown>> = {}): Client {
  return syncano({ baseUrl, defaults: {}, ...options });
}

/** How the client tells of a refusal. */
export interface Refusal {
  readonly name: string;
  readonly message: string;
  /** HTTP status; absent when the client refused by itself. */
  readonly status?: number;
}

/**
 * Runs a call of the client and gives what it came to. An error is told by its name, message and status alone: those
 * of the client hold whole sockets.
 */
export async function run(call: Client): Promise<Client> {
  const outcome = await settle(call);
  if ('refusal' in outcome) throw new Error(JSON.stringify(outcome.refusal));
  return outcome.value;
}

/** Runs a call of the client that has to be refused, and tells how. */
export async function refusal(call: Client): Promise<Refusal> {
  const outcome = await settle(call);
  if ('refusal' in outcome) return outcome.refusal;
  throw new Error(`not refused, but ${JSON.stringify(outcome.value)}`);
}

/** What a model of the client holds of an answer, without the functions and settings that it adds. */
export function fieldsOf(model: Client): Record<string, unknown> {
  const { links, created_at, updated_at } = model;
  return JSON.parse(JSON.stringify({ ...model.toJSON(), links, created_at, updated_at }));
}

type Outcome = { readonly value: Client } | { readonly refusal: Refusal };

async function settle(call: Client): Promise<Outcome> {
  try {
    return { value: await started(call) };
  } catch (error) {
    const { name, message, status } = error as Refusal; // a thrown thing of any other shape shows as blank
    return { refusal: { name, message, ...(status !== undefined && { status }) } };
  }
}

/** A query set runs when it is asked; its `then` takes one callback, so that `await` never hears of a failure. */
function started(call: Client): Promise<unknown> {
  if (typeof call?.request !== 'function' || typeof call.then !== 'function') return call;
  return call.request().then(([answer]: readonly unknown[]) => answer);
}
