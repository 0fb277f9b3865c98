/** A call as plain data: what the gateway's event, a batch item or a test says. */
export interface Request {
  /** Unique for each call; on every answer and log line. */
  readonly id: string;
  readonly method: string;
  /** Absolute, percent-decoded once (as the gateway does) but for `%2f`, its last slash kept; no query. */
  readonly path: string;
  /**
   * Of a repeated parameter the last value counts (docs/reference/requests.md#query-parameters), with few exceptions.
   */
  readonly query: URLSearchParams;
  /** Names in lower case; repeats joined with commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: RawBody;
  /** Address of the client as the gateway saw it. */
  readonly sourceAddress: string;
}

/** A body as it came, or, inside a batch, as the value that a JSON body would have given. */
export type RawBody =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'json'; readonly value: unknown };

/** An answer as plain data. */
export interface Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The value that is sent as JSON; undefined: no body. */
  readonly body?: unknown;
  /** Something other than JSON, sent instead of `body`. */
  readonly content?: { readonly type: string; readonly bytes: Uint8Array | string };
  /** Names of fields and parameters that the request has and its path does not know. */
  readonly ignored?: readonly string[];
}

/**
 * Tells whether a page of ours follows a link. What runs code of a client is then described instead: on a page it is
 * run by a button.
 */
export function isFollowedLink({ headers }: Request): boolean {
  return headers['x-page'] === '1';
}

/** Query parameters that may hold keys. */
export const keyParameters: readonly string[] = ['api_key', 'apikey', 'user_key', 'userkey'];
/** Members of a body that may hold keys. */
export const keyMembers: readonly string[] = ['_api_key', '_user_key'];

/** The one thing that the edge, a batch and a test call. Never rejects: a fault is an answer with 500. */
export type Dispatch = (request: Request) => Promise<Response>;

/** The value of a query parameter that counts: the last one sent. */
export function queryValue(query: URLSearchParams, name: string): string | undefined {
  if (query.size === 0) return undefined;
  return query.getAll(name).at(-1);
}
