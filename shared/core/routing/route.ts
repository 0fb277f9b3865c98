import type { ChangeConsumer } from '../../jobs/change-feed.ts';
import type { JobType } from '../../jobs/jobs.ts';
import type { Grants } from '../../ports/grants.ts';
import type { Platform } from '../../ports/ports.ts';
import type { Key, Stored } from '../../store/store.ts';
import type {
  AccountData,
  ApiKeyData,
  InstanceData,
  InstanceNameData,
  MemberData,
  UserData,
} from '../../table/records/records.ts';
import type { SessionData } from '../../table/records/user-accounts.ts';
import type { Access, Actor, Right } from '../../values/access.ts';
import type { RecordClaims } from '../../values/keys/credentials.ts';
import type { Body } from '../http/body/body.ts';
import type { InnerRequest, Request, Response } from '../http/message.ts';
import type { Caches } from './caches.ts';
import type { ConsolePlaces } from './console-place.ts';
import type { Fields, LinkForm, QueryParameters } from './forms.ts';
import type { Known, Params } from './known.ts';
import type { NamedLoad, NamedLookup } from './loads.ts';
import type { PageHints } from './page-hints.ts';
import type { Rendering } from './rendering.ts';
import type { Version } from './versions.ts';

/** Methods that resources have; HEAD and OPTIONS are derived. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];

/**
 * One path of the interface with everything that dispatch needs to serve it. Routes are derived from resource values,
 * once per process.
 */
export interface Route {
  /** The resource in words, as introspection shows it: `Api Key List`. */
  readonly name: string;
  readonly description: string;
  /** The resource in words, without what the path does with it: `Api Key`. */
  readonly resource: string;
  /**
   * The resource in plain English for the interface document, where that differs from `resource`: `class` for `Klass`.
   */
  readonly noun?: string;
  /** Names of operations in the interface document, where they do not follow from kind and noun. */
  readonly operationNames?: OperationNames;
  /** The family that it belongs to, where the whole map is available. */
  readonly family?: string;
  /** Those of the family, where it is known. */
  readonly places?: ConsolePlaces;
  /** Path below the version with `{parameters}`, by version; a version without an entry does not have it. */
  readonly paths: Readonly<Partial<Record<Version, string>>>;
  /** Is served at `/`, above all versions. */
  readonly isRoot?: true;
  readonly kind: 'list' | 'detail' | 'action' | 'page';
  /** Role of `{instance}` in the path: `place`, the resource is in it; `thing`, it is the resource. */
  readonly instance: 'none' | 'place' | 'thing';
  /** Lookups of the path, in an order in which each uses values of those before it. All methods load them. */
  readonly lookups: readonly NamedLookup[];
  /**
   * Whether the path exists for a request, of which nothing but the path is known. Where it does not, the response is that
   * of an unknown path.
   */
  readonly exists?:
    | ((platform: Pick<Platform, 'store'>, params: Params) => Promise<boolean>)
    | undefined;
  /** Serves the path in place of this route where it does not exist, if it was part of another path before. */
  readonly otherwise?: { readonly route: Route; readonly params: Params };
  /** Throws 404 to a caller who must not see that the route exists (docs/reference/errors.md#which-status). */
  readonly hide?: (context: Context) => void;
  /** Credentials are read wherever they are valid; log-in resources ignore them (docs/reference/requests.md#keys). */
  readonly ignoresCredentials: boolean;
  /** Not allowed as an item of a batch: it would delay the others, or is a batch itself. */
  readonly isUnbatchable?: true;
  /**
   * Its requests contain requests, as which they count (docs/reference/usage.md#counting). Those with long bodies take
   * turns on one machine, until they call `request.endTurn`: each may write many items.
   */
  readonly isBatch?: true;
  /** Its POST exports contents for the owner, who may do so while the instance is suspended. */
  readonly exportsData?: true;
  /** Its responses are not rendered with templates, because they have no content to show. */
  readonly isUntemplated?: true;
  readonly access: Access;
  readonly operations: Operations;
  /** Maximum bytes of a body, where lower than everywhere; checked before anything else. */
  readonly maxBodyBytes?: number;
  /** Forms that introspection and the interface document describe: fields of a POST or PUT, links, responses. */
  readonly forms: Forms;
  /** Values of `format`, and media types of `Accept`, that the route accepts in addition to those of every route. */
  readonly formats?: readonly string[];
}

/** An operation as the interface document names it. */
export interface OperationName {
  /** Unique in the interface, a verb and its object in camel case: `addUserToGroup`. */
  readonly id: string;
  /** A short imperative sentence without full stop. */
  readonly summary: string;
  /** For the interface document only: OPTIONS shows the route's description. */
  readonly description?: string;
}

/** Names of a route's operations by method. */
export type OperationNames = Readonly<Partial<Record<Method, OperationName | undefined>>>;

/** Operations of a path by method. */
export type Operations<Loaded extends object = object> = Readonly<
  Partial<Record<Method, Operation<Loaded>>>
>;

/** Fields of a write, and the names and types of links, for introspection. */
export interface Forms<Loaded extends object = object> {
  readonly POST?: Fields;
  readonly PUT?: Fields;
  readonly links?: readonly LinkForm[];
  readonly fieldsAt?: FieldsAt<Loaded>;
  readonly pageHints?: PageHintsAt<Loaded>;
  /** Absent: the fields of a PUT if any, else any JSON. */
  readonly response?: ResponseForm;
}

/** Form of a successful response, for the interface document. */
export interface ResponseForm {
  /** Where it differs from the method's default; 204, 302 and 303 are without body. */
  readonly status?: 201 | 202 | 204 | 302 | 303;
  /** Fields of the resource shown; absent: any JSON. */
  readonly fields?: Fields;
  readonly links?: readonly LinkForm[];
  /** Name of the resource in words, when it is not the route's resource. */
  readonly name?: string;
  /** A record, or the code that the operation runs, determines the media type. */
  readonly isAnyType?: true;
  /** The response may also be 204, without body. */
  readonly isOptional?: true;
  /** The response may also be 202, with a sentence: a mail is on its way. */
  readonly mayBeMail?: true;
}

/** Returns fields as they are for one request: a class adds its own to them. */
export type FieldsAt<Loaded extends object = object> = (
  fields: Fields,
  context: Context<Loaded>,
) => Fields;

/** Returns what the page of one request shows in addition. */
export type PageHintsAt<Loaded extends object = object> = (context: Context<Loaded>) => PageHints;

/**
 * One method of a route.
 *
 * @typeParam Loaded the records that it gets
 */
export interface Operation<Loaded extends object = object> {
  readonly right: Right;
  /** Records that it loads in addition to the lookups of the path; set where routes are derived. */
  readonly loads?: readonly NamedLoad[];
  /** Query parameters that it reads, in addition to those of every request. */
  readonly parameters?: QueryParameters;
  /** A counter whose next number is reserved during the first read, when the client's key is genuine. */
  readonly counter?: (known: Known) => Key | undefined;
  /** Rules beyond the access table, checked before the body is read. Throws ApiError. */
  readonly authorize?: (context: Context<Loaded>) => void;
  /**
   * Runs a client's code with everything that the request contains: no parameter or field of it is unknown, and a page
   * never runs it by following a link.
   */
  readonly runsCode?: true;
  /** Waits before it responds: a page describes the operation instead of running it. */
  readonly waits?: true;
  /** Responds with a page for people, in whatever form a request wants a response. */
  readonly isForPeople?: true;
  /** The action that templates see, where it does not follow from route and method. */
  readonly action?: string;
  readonly run: (context: Context<Loaded>) => Promise<Response>;
}

/**
 * Runs requests that differ only in their bodies, in any order, at less cost than their operation's `run` for each.
 *
 * @param context of the group: its request is the first one, its body and its reserved number are of no request
 * @returns one promise for each, in their order; it rejects where that of `run` would
 */
export type RunGroup = (
  context: Context,
  all: readonly RequestPart[],
) => readonly Promise<Response>[];

/** The part of a request by which it differs from those of its group. */
export interface RequestPart {
  readonly body: Body;
  /** The number reserved from the operation's counter. */
  readonly reserved: number | undefined;
}

/**
 * A request with everything that was read for it.
 *
 * @typeParam Loaded the records that its route declares
 */
export interface Context<Loaded extends object = object> {
  readonly request: Request;
  readonly route: Route;
  /** Returns all routes that this process serves. */
  readonly routes: () => Promise<readonly Route[]>;
  readonly version: Version;
  readonly params: Params;
  readonly platform: Platform;
  readonly caches: Caches;
  readonly actor: Actor;
  readonly account: Stored<AccountData> | undefined;
  readonly member: Stored<MemberData> | undefined;
  readonly apiKey: Stored<ApiKeyData> | undefined;
  readonly user: Stored<UserData> | undefined;
  /** Session of the user, where the request has its key and not the user's own. */
  readonly session: Stored<SessionData> | undefined;
  /** Claims of the public link in the path; its endpoint may have another link by now. */
  readonly link: RecordClaims | undefined;
  /** Data id of the instance that the path names, or of the API key's instance where the path names none. */
  readonly instanceId: number | undefined;
  readonly instanceName: Stored<InstanceNameData> | undefined;
  /** The instance of the API key, where the path names none. */
  readonly keyInstance: Stored<InstanceData> | undefined;
  /** The template that renders the response, when the request names an existing one, even a removed one. */
  readonly rendering: Rendering | undefined;
  /** The records that the route declares, by their names. */
  readonly loaded: Loaded;
  /** The number reserved from the operation's counter. */
  readonly reserved: number | undefined;
  /** The parsed body; read at most once. Throws ApiError 400, 413 or 415. */
  readonly body: () => Promise<Body>;
  /** Opens a session, in which the same client makes further requests: the items of a batch. */
  readonly openSession: () => Session;
  /**
   * Reads the records of the request again and repeats the checks, for a response that takes long. Throws ApiError when
   * the request is not allowed any more. The new context has the same loads.
   */
  readonly renew: () => Promise<Context>;
}

/** Requests inside a request. The caller is fixed: keys that such a request may contain are ignored. */
export interface Session {
  /** Milliseconds since the request began that the session is a part of. */
  readonly elapsedMs: () => number;
  /** Finds the routes of paths, in their order; undefined: no such path. */
  readonly find: (
    paths: readonly string[],
  ) => Promise<readonly (Pick<Context, 'route' | 'params'> | undefined)[]>;
  /**
   * Authorizes requests that differ only in their bodies: one, or several that get the same kind of response. Never
   * rejects: an unexpected error becomes a 500, and a requested page is returned as data.
   *
   * Concurrent requests share their reads and their numbers. Between requests the records of caller and path are
   * cached until one of these requests writes them, or may have caused a write of them.
   *
   * @returns one entry for each request, in their order
   */
  readonly open: (requests: readonly InnerRequest[]) => Promise<OpenedGroup>;
}

/** Requests that were authorized together. Either all are run together, or one by one. */
export interface OpenedGroup {
  readonly opened: readonly Opened[];
  /**
   * Runs all, in any order. Never rejects.
   *
   * @param together runs them at less cost, where that is possible; absent: each is run by itself
   */
  readonly runAll: (together?: RunGroup) => readonly Promise<Response>[];
}

/** A request of a session that does nothing until it is run. */
export interface Opened {
  /** Absent when the request was rejected. */
  readonly context: Context | undefined;
  /** Runs it, once; returns the response, which may be an error response. Never rejects. */
  readonly run: () => Promise<Response>;
}

/** Background work of a family. */
export interface FamilyJobs {
  readonly types: readonly JobType[];
  /** Consumers of a change feed that delivers changes in the order in which they were made. */
  readonly consumers?: readonly ChangeConsumer[];
  /** The same consumers for a feed that keeps only the order of each item's changes. */
  readonly unorderedConsumers?: readonly ChangeConsumer[];
}

/** Everything below one prefix of paths: one folder in functions/, one Lambda function on AWS. */
export interface Family {
  readonly name: string;
  /** Access to AWS that its requests need. */
  readonly grants: Grants;
  readonly jobs?: FamilyJobs;
  /** Where the console shows what its paths are about: pages for browsers link to it. */
  readonly places: ConsolePlaces;
  readonly routes: readonly Route[];
}

/** Returns the routes of a family, each with its name and places. */
export function routesOf({ name, places, routes }: Family): readonly Route[] {
  return routes.map((route) => ({ ...route, family: name, places }));
}

/** Returns routes for one version only: the other one has different routes in their place. */
export function onlyIn(version: Version, routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => {
    const path = route.paths[version];
    return { ...route, paths: path === undefined ? {} : { [version]: path } };
  });
}
