import type { RequestRecord } from '../../ports/request-log.ts';
import type { Actor } from '../../values/access.ts';
import type { Ending } from '../../values/ending.ts';

/** A request as plain data, made from the gateway's event, a batch item or a test. */
export interface Request {
  /** Unique for each request; on every response and log line. */
  readonly id: string;
  readonly method: string;
  /** Absolute, percent-decoded once (as the gateway does) except `%2f`, with its last slash; no query. */
  readonly path: string;
  /**
   * Of a repeated parameter the last value counts (docs/reference/requests.md#query-parameters), with few exceptions.
   */
  readonly query: URLSearchParams;
  /** Name of a parameter of the query whose bytes are no UTF-8, so that its value has U+FFFD. Absent: there is none. */
  readonly brokenParameter?: string | undefined;
  /** Names in lower case; repeats joined with commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: RawBody;
  /** Address of the client as the gateway saw it. */
  readonly sourceAddress: string;
  /** Is filled when the path has been matched, for the log line. Absent: the request has none, as inside a batch. */
  readonly served?: ServedRoute;
  /**
   * Receives the instance of the path once its record was read, and again each time it is read. Absent: nothing asks.
   */
  readonly noteInstance?: ((instance: number) => void) | undefined;
  /** Returns the end of this request, for one that waits. Absent: the request ends by itself. */
  readonly ending?: () => Ending;
  /** Ends the turn of this request, if its route takes turns; further calls have no effect. Absent: it has none. */
  readonly endTurn?: (() => void) | undefined;
}

/** The family that serves a request, and the template of its path: `/v1.1/instances/{instance}/`. */
export interface ServedRoute {
  family?: string | undefined;
  route?: string;
  /** Is filled when the instance of the path is known, for the log of the instance. Absent: it is in none. */
  facts?: RequestFacts;
}

/** What only the checks of a request know, for the log of its instance. */
export interface RequestFacts extends Pick<RequestRecord, 'instance' | 'parameters'> {
  /** Parameters of the path. */
  readonly params: Readonly<Record<string, string | number>>;
  /** Undefined until the caller is known. */
  actor: Actor | undefined;
}

/** A body as received, or, inside a batch, as the value of the JSON body that it replaces. */
export type RawBody = { readonly kind: 'bytes'; readonly bytes: Uint8Array } | ValueBody;

/** A body inside a batch, or one that was parsed for its method. */
export interface ValueBody {
  readonly kind: 'json';
  readonly value: unknown;
  /** The body as received; absent for one inside a batch, where an item without a body has no bytes. */
  readonly bytes?: Uint8Array;
}

/** A request inside a batch. */
export interface InnerRequest extends Request {
  readonly body: ValueBody;
}

/** What a response sends. */
export interface Content {
  readonly type: string;
  readonly bytes: Uint8Array | string;
  /**
   * Made by our own code, which lets no text of others become markup: JSON, a page, a file of the console. In a browser
   * all other content gets an origin of its own.
   */
  readonly isOwn?: true;
}

/** A response as plain data. */
export interface Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`, the one header that cannot be joined; only responses of scripts have it. */
  readonly cookies?: readonly string[];
  /** The value that is sent as JSON; undefined: no body. */
  readonly body?: unknown;
  /** Something other than JSON, sent instead of `body`. */
  readonly content?: Content;
  /** Text that is sent piece by piece while the response remains open, instead of `body`. */
  readonly stream?: { readonly type: string; readonly pieces: AsyncIterable<string> };
  /** Names of fields and parameters of the request that its path does not know. */
  readonly ignored?: readonly string[];
}

/**
 * Checks whether the request comes from following a link on one of our pages. An operation that runs a client's code is
 * then described instead: on a page it is run by a button.
 */
export function isFollowedLink({ headers }: Request): boolean {
  return headers['x-page'] === '1';
}

/** Query parameters that may hold keys. */
export const keyParameters: readonly string[] = ['api_key', 'apikey', 'user_key', 'userkey'];
/** Members of a body that may hold keys. */
export const keyMembers: readonly string[] = ['_api_key', '_user_key'];

/** The one function that the edge, a batch and a test use. Never rejects: an unexpected error becomes a 500. */
export type Dispatch = (request: Request) => Promise<Response>;

/** Returns the effective value of a query parameter: the last one sent. */
export function queryValue(query: URLSearchParams, name: string): string | undefined {
  if (query.size === 0) return undefined;
  return query.getAll(name).at(-1);
}
