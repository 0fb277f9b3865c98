import type { RequestPath } from '../../shared/values/text/request-path.ts';

/** Methods of the interface. */
export type RequestMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Values of query parameters; undefined ones are left out. */
export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** A request to the interface. */
export interface ApiRequest {
  readonly method: RequestMethod;
  /** Below `/v1.1/`, for example `instances/blog/classes/`; or a path that the server returned, from `/v1.1/` on. */
  readonly path: RequestPath;
  readonly query?: Parameters;
  /** Is sent as JSON, or as it is when it is a form with files. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Is not shown in the API panel: a repeated look whether something has changed. */
  readonly isQuiet?: boolean;
  /** Name that the user has typed to confirm a deletion; the server compares it. */
  readonly confirmedName?: string;
  /** Names that the path does not know are an error (docs/reference/requests.md#unknown-names). */
  readonly isStrict?: boolean;
  /** The account key is sent although the user views as somebody else. */
  readonly isOwn?: boolean;
}
