import type { Platform } from '../../platform/ports.ts';
import type {
  AccountData,
  ApiKeyData,
  ClassData,
  InstanceNameData,
  MemberData,
  TemplateData,
  UserData,
} from '../../store/records/records.ts';
import type { Key, Stored } from '../../store/store.ts';
import type { Access, Actor, Right } from '../../values/access.ts';
import type { Request, Response } from '../http/message.ts';
import type { RecordClaims } from '../pipeline/caller/credentials.ts';
import type { Binding, Caches } from './caches.ts';
import type { Fields, LinkForm } from './field.ts';
import type { Body } from './input.ts';
import type { QueryParameters } from './query-parameters.ts';
import type { Version } from './versions.ts';

/** Methods that resources have; HEAD and OPTIONS are derived. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** One of the methods. */
export type Method = (typeof methods)[number];

/**
 * One path of the interface and all that dispatch needs to serve it. Routes are derived from resource values, once
 * per process.
 */
export interface Route {
  /** The resource in words, as introspection shows it: `Api Key List`. */
  readonly name: string;
  readonly description: string;
  /** The thing in words, without what the path does with it: `Api Key`. */
  readonly resource: string;
  /** The thing in plain English for the interface document, where `resource` does not give it: `class` for `Klass`. */
  readonly noun?: string;
  /** Names of operations in the interface document, where kind and noun do not give them. */
  readonly operationNames?: OperationNames;
  /** The family that it belongs to, where the whole map is at hand. */
  readonly family?: string;
  /** Path below the version with `{parameters}`, by version; a version without an entry does not have it. */
  readonly paths: Readonly<Partial<Record<Version, string>>>;
  /** Answers at `/`, above all versions. */
  readonly isRoot?: true;
  readonly kind: 'list' | 'detail' | 'action' | 'page';
  /** What an `{instance}` in the path is: the place of the thing, or the thing itself, or absent. */
  readonly instance: 'none' | 'place' | 'thing';
  /** The class named by `{class}`, or by the record at `boundBy`, must exist and is at hand. */
  readonly inClass: boolean;
  /** Where the record is that says what the call is about, in place of the path: which class, or which script. */
  readonly boundBy?: (known: Pick<Known, 'instance' | 'params' | 'link'>) => Key | undefined;
  /** To an account that is no member it is as if it were not there: 404 (docs/reference/errors.md#which-status). */
  readonly isHidden?: true;
  /** Credentials are read wherever they are valid; log-in resources ignore them (docs/reference/requests.md#keys). */
  readonly ignoresCredentials: boolean;
  /** No item of a batch may call it: it would hold up the others, or is a batch itself. */
  readonly isUnbatchable?: true;
  /** A call counts as the calls inside it, and by itself as none (docs/reference/usage.md#counting). */
  readonly countsAsItems?: true;
  /** Its answers are rendered with no template: there is nothing to show. */
  readonly isUntemplated?: true;
  readonly access: Access;
  readonly operations: Readonly<Partial<Record<Method, Operation>>>;
  /** Bytes that a body may have, where that is less than everywhere; looked at before anything else. */
  readonly maxBodyBytes?: number;
  /** What introspection and the interface document describe: fields of a POST or PUT, links, answers. */
  readonly forms: Forms;
  /** Values of `format` that the route itself knows, beside those of every route. */
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

/** Fields that a write takes, and the names and kinds of links, for introspection. */
export interface Forms {
  readonly POST?: Fields;
  readonly PUT?: Fields;
  readonly links?: readonly LinkForm[];
  readonly fieldsAt?: FieldsAt;
  /** Absent: what a PUT takes is what is shown, else any JSON. */
  readonly answer?: AnswerForm;
}

/** What a success answers with, for the interface document. */
export interface AnswerForm {
  /** Where it is not what the method says; 204 is without body. */
  readonly status?: 201 | 204;
  /** The thing that is shown; absent: any JSON. */
  readonly fields?: Fields;
  readonly links?: readonly LinkForm[];
  /** Name of the thing in words, when it is not the route's resource. */
  readonly name?: string;
}

/** Gives fields as they are at the place of a call: a class adds its own to them. */
export type FieldsAt = (fields: Fields, context: Context) => Fields;

/** One method of a route. */
export interface Operation {
  readonly right: Right;
  /** Records read together with credentials, by a name of the resource's own. */
  readonly reads?: Reads;
  /** Query parameters that it reads, beside those of every call. */
  readonly parameters?: QueryParameters;
  /** A counter whose next number is taken beside the first read, when the caller's key is genuine. */
  readonly counter?: (known: Known) => Key | undefined;
  /** Rules beyond the access table, before the body is looked at. Throws ApiError. */
  readonly authorize?: (context: Context) => void;
  /**
   * It runs code of a client with whatever the request brings: no parameter or field of it is unknown, and a page
   * never runs it by following a link.
   */
  readonly runsCode?: true;
  /** What templates are told that it does, where route and method do not say it. */
  readonly action?: string;
  readonly run: (context: Context) => Promise<Response>;
}

/** Says where records are, as far as that is known; undefined: nowhere, or not known yet. */
export type Reads = (known: Known) => Readonly<Record<string, Key | undefined>>;

/** What is known of a call's place while records are still being read. */
export interface Known {
  readonly version: Version;
  readonly params: Params;
  /** Id of the account whose key came with the call. */
  readonly account: number | undefined;
  /** Instance id: proved by the name's record, or still a hint. */
  readonly instance: number | undefined;
  /** What the public link says that the path names; it is genuine. */
  readonly link: RecordClaims | undefined;
  /** What the record at `boundBy` says: proved by it, or still a hint. */
  readonly binding: Binding | undefined;
  /** Name of the call's class: from the path, proved by the data endpoint's record, or still a hint. */
  readonly className: string | undefined;
  /** Number of the call's class: proved by the class's record, or still a hint. */
  readonly classNumber: number | undefined;
}

/** Path parameters in their stored form; one that cannot name anything is absent. */
export interface Params {
  readonly instance?: string;
  readonly class?: string;
  readonly endpoint?: string;
  /** Text of a public link; whether it is genuine is not said. */
  readonly link?: string;
  readonly template?: string;
  readonly id?: number;
  /** Token of a device. */
  readonly device?: string;
  /** Name of another service whose log-ins are taken over. */
  readonly backend?: string;
  /** Second id of a membership: what belongs to `id`. */
  readonly member?: number;
}

/** A call with everything that was read for it. */
export interface Context {
  readonly request: Request;
  readonly route: Route;
  /** All routes that this process serves. */
  readonly routes: readonly Route[];
  readonly version: Version;
  readonly params: Params;
  readonly platform: Platform;
  readonly caches: Caches;
  readonly actor: Actor;
  readonly account: Stored<AccountData> | undefined;
  readonly member: Stored<MemberData> | undefined;
  readonly apiKey: Stored<ApiKeyData> | undefined;
  readonly user: Stored<UserData> | undefined;
  /** What the public link says by which the call came; whether its endpoint still bears it is not said. */
  readonly link: RecordClaims | undefined;
  /** Id of the instance that the path names, or that the API key belongs to where the path names none. */
  readonly instanceId: number | undefined;
  readonly instanceName: Stored<InstanceNameData> | undefined;
  readonly class: Stored<ClassData> | undefined;
  /** The template that the answer is to be rendered with, when it is named and there, be it as removed. */
  readonly template: TemplateData | undefined;
  /** What `reads` asked for. */
  readonly records: Readonly<Record<string, Stored | undefined>>;
  /** The number taken from the operation's counter. */
  readonly reserved: number | undefined;
  /** The parsed body; read at most once. Throws ApiError 400, 413 or 415. */
  readonly body: () => Promise<Body>;
  /** Opens a session, in which the same caller makes further calls: the items of a batch. */
  readonly openSession: () => Session;
}

/** Calls inside a call. Its caller is settled: keys that such a call may carry are not looked at. */
export interface Session {
  /** Milliseconds since the call began that the session is a part of. */
  readonly elapsedMs: () => number;
  /** Finds the route of a path; undefined: there is none. */
  readonly find: (path: string) => Pick<Context, 'route' | 'params'> | undefined;
  /**
   * Lets calls through that differ in nothing but their bodies: one, or several that are to be answered alike. Never
   * rejects: a fault is an answer with 500, a form that is asked for is given as data.
   *
   * Calls under way together share their reads and their numbers. Between calls the records of caller and place are
   * remembered until one of these calls writes them, or may have made others do so.
   *
   * @returns as many as requests, in their order
   */
  readonly open: (requests: readonly Request[]) => Promise<readonly Opened[]>;
}

/** A call of a session that does nothing until it is run. */
export interface Opened {
  /** Absent when the call was refused. */
  readonly context: Context | undefined;
  /** Runs it, once; gives the answer, which may be the refusal. Never rejects. */
  readonly run: () => Promise<Response>;
}

/** Everything below one prefix of paths: one folder in functions/, one Lambda function on AWS. */
export interface Family {
  readonly name: string;
  readonly routes: readonly Route[];
}
