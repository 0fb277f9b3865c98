/*
 * Globals of the scripts that Groundwork runs, in addition to those of Node (@types/node), for editors and compilers:
 *
 *   /// <reference path="<checkout>/docs/guides/script-globals.d.ts" />
 *
 * The rules: docs/reference/scripts.md#what-a-script-sees.
 */

/** Arguments of a run. What they are depends on how it was started; values that clients send are not checked. */
declare const ARGS: ScriptArguments;

/** Configuration of the instance, with that of the script merged over it. */
declare const CONFIG: ScriptValues;

/** Context of the run. */
declare const META: ScriptMeta;

/** Sets the response of the run; the last call counts. Anything other than an `HttpResponse` unsets it. */
declare function setResponse(response: HttpResponse): void;

/**
 * Creates a response, with or without `new`.
 *
 * @example setResponse(new HttpResponse(200, { hello: ARGS.who }));
 */
declare const HttpResponse: {
  /**
   * @param status_code 100 to 599; 200 when absent
   * @param content     bytes are sent as they are, another object or a list as JSON, anything else as text; empty when
   *                    absent
   * @param content_type `application/json` when absent
   * @param headers     none when absent; several cookies are a list
   */
  new (
    status_code?: number,
    content?: unknown,
    content_type?: string,
    headers?: ScriptHeaders,
  ): HttpResponse;
  (
    status_code?: number,
    content?: unknown,
    content_type?: string,
    headers?: ScriptHeaders,
  ): HttpResponse;
  readonly prototype: HttpResponse;
};

/** A response of a script. */
interface HttpResponse {
  status_code: number;
  content: unknown;
  content_type: string;
  headers: ScriptHeaders;
  /** Another name of `status_code`. */
  statusCode: number;
  /** Another name of `content_type`. */
  contentType: string;
}

/** Headers of a response. Only `Set-Cookie` may have a list: one entry per cookie. */
type ScriptHeaders = {
  [name: string]: string | number | boolean | readonly string[] | undefined;
};

interface ScriptArguments extends ScriptValues {
  /** Of endpoints: the query of the request, without keys. */
  readonly GET: { readonly [name: string]: string | undefined };
  /** Of endpoints: the body of the request: the members of an object or a form, or a list. */
  readonly POST: ScriptValues[string];
}

/** Values by their names; for ARGS of endpoints those of GET and POST, of triggers the object, else the payload. */
interface ScriptValues {
  // biome-ignore lint/suspicious/noExplicitAny: clients send anything
  readonly [name: string]: any;
}

interface ScriptMeta {
  /** `codebox`: a direct run; `webhook`: a script endpoint. */
  readonly executed_by: 'codebox' | 'webhook' | 'trigger' | 'schedule';
  /** Id of the script, trigger or schedule, or name of the endpoint. */
  readonly executor: number | string;
  /** Name of the instance. */
  readonly instance: string;
  /** Address of the API, without a slash at the end: `https://api.example.com`. */
  readonly api_url: string;
  /** Host of the API, without the scheme. */
  readonly api_host: string;
  /** A configured number that has no effect; else 0. */
  readonly async: number;
  /** Of scripts with full access: a key for the instance, valid for ten minutes. Do not print it. */
  readonly token?: string;
  /** Of endpoints. */
  readonly metadata?: Readonly<Record<string, never>>;
  /** Of endpoints that were called with an account key: the account. */
  readonly admin?: { readonly id: number; readonly email: string };
  /** Of endpoints: the request. */
  readonly request?: ScriptRequest;
  /** Of triggers: what happened. */
  readonly event?: { readonly source: 'dataobject'; readonly class: string };
  /** Of triggers. */
  readonly signal?: 'create' | 'update' | 'delete';
  /** Of triggers: names of the changed fields after an update, otherwise null. */
  readonly changes?: readonly string[] | null;
}

/** A request to an endpoint, without its credentials. */
interface ScriptRequest {
  readonly PATH_INFO: string;
  readonly REQUEST_METHOD: string;
  readonly REMOTE_ADDR: string;
  /** A header: `HTTP_USER_AGENT`. */
  readonly [header: `HTTP_${string}`]: string;
}
