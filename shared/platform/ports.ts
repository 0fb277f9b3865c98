import type { SecretVersion } from '../accounts/rules/master-secrets.ts';
import type { ScryptJob } from '../accounts/rules/passwords.ts';
import type { ProviderPush } from '../push/rules/payload.ts';
import type { OpenedPkcs12 } from '../push/rules/pkcs12.ts';
import type { PushCredential, PushPlace } from '../push/rules/provider.ts';
import type { FinishedTrace, RunReference, RunRequest } from '../scripts/run-request.ts';
import type { ScriptRunner } from '../scripts/script-runner.ts';
import type { Store } from '../store/store.ts';
import type { TemplateEngine } from '../templates/jinja/rendering.ts';
import type { Tenant } from '../values/tenant.ts';
import type { Share } from './limits/fair-queue.ts';
import type { Scans } from './limits/scans.ts';

/** Tells the time. Tests fix it. */
export interface Clock {
  /** Microseconds since 1970, strictly greater at each call of one process. */
  micros(): number;
  /** Milliseconds since some moment, with fractions: goes on evenly however the machine's time is set. */
  steadyMs(): number;
}

/** Makes what must be unguessable or unique. Tests fix it. */
export interface Ids {
  /** A random id of a write or a request: 20 to 32 lower-case hex digits. */
  random(): string;
}

/** The deployment's master secrets, from which keys are derived. */
export interface Secrets {
  /** Version that new keys use, 1 to 255; one that an operator adds is used a minute later at the latest. */
  current(): Promise<SecretVersion>;
  /** An older version; undefined when the operator has retired it. */
  get(version: number): Promise<SecretVersion | undefined>;
}

/** Writes one structured line for operators. Never give it a key, secret, password or body. */
export type Log = (entry: LogEntry) => void;

/** A log line: what happened, and fields that help to find out why. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'error';
  readonly message: string;
  readonly requestId?: string;
  readonly [field: string]: unknown;
}

/** Sends mail to people. */
export interface Mailer {
  /** Resolves when the mail is handed over. */
  send(mail: Mail): Promise<void>;
}

/** One mail, in plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/**
 * Keeps files by key. Those under `public/` are served at `address()` to anybody who has the address; all others to
 * nobody. A key is made of segments of letters, digits, `_`, `-` and inner dots, parted by `/`.
 */
export interface FileStore {
  /** Where public files are served, without a slash at the end: `<address>/<key without public/>`. */
  address(): string;
  /** Stores a file, durably before it resolves; one that is there already is replaced. */
  put(key: string, file: FileContent): Promise<void>;
  /** Reads a file whole; undefined when there is none. */
  get(key: string): Promise<FileContent | undefined>;
  /** Returns the bytes of a file; undefined when there is none. */
  size(key: string): Promise<number | undefined>;
  /** Copies a file with its type; false when there is none. */
  copy(from: string, to: string): Promise<boolean>;
  /** Removes files; it does not matter whether they are there. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes all files whose keys begin so; the prefix ends in a slash. */
  removeAll(prefix: string): Promise<void>;
  /**
   * Opens the way for one file past the interface, straight to where files are. What was sent under `uploads/` is
   * removed after a day or two, and so is what was stored under `traces/`.
   */
  openUpload(key: string, terms: UploadTerms): Promise<UploadForm>;
}

/** A file. */
export interface FileContent {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** What an upload may be. */
export interface UploadTerms {
  readonly contentType: string;
  readonly maxBytes: number;
  /** Seconds for which the upload may begin. */
  readonly seconds: number;
}

/** A form to be posted as multipart/form-data: all fields, and after them the file as `file`. */
export interface UploadForm {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Asks another service who the bearer of one of its access tokens is. */
export type SocialVerifier = (accessToken: string) => Promise<SocialProfile | undefined>;

/** Who somebody is at another service. */
export interface SocialProfile {
  /** That service's own id of the person. */
  readonly id: string;
  /** An address that the service has verified; absent where it gives none. */
  readonly email: string | undefined;
  readonly first_name: string;
  readonly last_name: string;
}

/** Services whose log-ins can be taken over. */
export const socialBackends = ['facebook', 'google-oauth2', 'github'] as const;
/** One of these services. */
export type SocialBackend = (typeof socialBackends)[number];

/** What an operator may set. */
export interface Settings {
  /**
   * Whether anybody may register, only who holds the set-up code or an invitation, or, besides these, programs of the
   * machine that the server runs on and pages that it serves.
   */
  readonly registration: 'open' | 'closed' | 'local';
  /** Instances that one account may own. */
  readonly maxInstances: number;
  /** Classes in one instance, `user_profile` counted. */
  readonly maxClasses: number;
  /** Label of the place where it runs, shown as `location` of an instance. */
  readonly location: string;
  /** CPU cost of a password hash, as the power of two of scrypt's N: 10 to 20. */
  readonly passwordCost: number;
  /** Calls in one instance that a process lets through in a second, at least 60; as many as come when absent. */
  readonly instanceRate?: number | undefined;
  /** Bytes of data objects in one instance; absent: unlimited. */
  readonly maxObjectBytes?: number | undefined;
  /** Bytes of files in one instance; absent: unlimited. */
  readonly maxFileBytes?: number | undefined;
  /** Bytes of traces that one instance writes in 24 hours; absent: unlimited. */
  readonly maxTraceBytes?: number | undefined;
}

/** Runs the hashing of passwords, which takes long, where it holds up nobody else. */
export interface PasswordHasher {
  /**
   * Runs one scrypt.
   *
   * @param share whose turn it is counted as
   * @throws ApiError 503 when too many wait
   */
  run(job: ScryptJob, share: Share): Promise<Uint8Array>;
}

/** What follows from committed writes, off the path of the calls that make them. */
export interface Changes {
  /**
   * Resolves when what was acknowledged before is counted in what consumers keep. Where that may take longer than
   * a reader waits, on AWS or while a consumer is in trouble, it resolves at once.
   */
  settled(): Promise<void>;
}

/**
 * Counts what instances use: in memory, and written into the table off the path of the calls. A process that is
 * killed loses what it has counted since it wrote last.
 */
export interface Meter {
  /** Counts a call in an instance. */
  countRequest(instance: number): void;
  /** Counts a run of a script that took so many milliseconds. */
  countRun(instance: number, durationMs: number): void;
  /** Counts bytes of a trace. */
  countTrace(instance: number, bytes: number): void;
  /** Begins to write when the oldest count is older than ten seconds, and does not wait for it. */
  flushOld(): void;
  /** Writes what was counted up to now. Never rejects: what cannot be written is kept for the next time, and logged. */
  flush(): Promise<void>;
}

/** What has a quota of bytes in each instance. */
export type QuotaKind = 'objects' | 'files' | 'traces';

/** The quotas of instances, where an operator has set some. */
export interface Quotas {
  isLimited(kind: QuotaKind): boolean;
  /** Takes room for more bytes, until they are stored or it is clear that they will not be. */
  take(instance: number, kind: QuotaKind, bytes: number): Promise<Room>;
}

/** Room that was taken, or why there is none. */
export interface Room {
  /** What callers are told; undefined: there is room. */
  readonly refusal: string | undefined;
  /** Gives the room back; bytes that were stored are counted from now on. To be called once. */
  release(isStored: boolean): void;
}

/**
 * Hands pushes over to a push service. An application holds the credential of one place; an endpoint is a device as
 * an application knows it. Everything but `publish` may be done again without harm.
 *
 * Each call throws PushFailure where the service says no.
 */
export interface PushSender {
  /**
   * Makes the application of a place, or gives the one that it has another credential.
   *
   * @param current the application that the place had last, if any
   */
  openApplication(place: PushPlace, credential: PushCredential, current?: string): Promise<string>;
  /** Removes an application; it does not matter whether it is there. */
  closeApplication(application: string): Promise<void>;
  /** Makes the endpoint of a device, or finds and enables it. */
  createEndpoint(application: string, device: EndpointDevice): Promise<string>;
  setEndpoint(endpoint: string, token: string, isEnabled: boolean): Promise<void>;
  /** Removes an endpoint; it does not matter whether it is there. */
  removeEndpoint(endpoint: string): Promise<void>;
  /** Hands one push over, at most once; gives the service's id of it. */
  publish(endpoint: string, push: ProviderPush): Promise<string>;
}

/** A device as a push service gets to know it. */
export interface EndpointDevice {
  readonly token: string;
  /** Shown beside it in the service's own pages: instance, and nothing that is secret. */
  readonly note: string;
}

/** Encrypts what must be kept and may be read by this deployment only. */
export interface Vault {
  /** @param context what the text belongs to; it can be read only for the same */
  seal(text: string, context: Readonly<Record<string, string>>): Promise<string>;
  /** Throws Error when it cannot be read. */
  open(sealed: string, context: Readonly<Record<string, string>>): Promise<string>;
}

/** Has runs of scripts go on away from the calls that ask for them. */
export interface Runs {
  /** Begins the run of a pending trace, at most once however often it is called, and does not wait for its end. */
  start(run: RunReference): Promise<void>;
  /**
   * Runs a script and waits for its end, up to `ms`.
   *
   * @returns undefined when it takes longer: it goes on, and its trace tells what became of it
   */
  wait(request: RunRequest, ms: number): Promise<FinishedTrace | undefined>;
  /** Milliseconds that a call may wait, before those give up through whom it came. */
  readonly maxWaitMs: number;
}

/**
 * Opens an uploaded `.p12` file without pass phrase, whatever it costs, without holding up others.
 *
 * @returns undefined when it cannot be read
 */
export type CertificateOpener = (
  bytes: Uint8Array,
  tenant: Tenant,
) => Promise<OpenedPkcs12 | undefined>;

/** Everything that differs between AWS and one machine, and between these and a test. */
export interface Platform {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly mailer: Mailer;
  readonly files: FileStore;
  readonly push: PushSender;
  readonly vault: Vault;
  /** Verifiers of the services that the operator has configured. */
  readonly social: Readonly<Partial<Record<SocialBackend, SocialVerifier>>>;
  readonly settings: Settings;
  readonly passwords: PasswordHasher;
  readonly scans: Scans;
  readonly changes: Changes;
  readonly meter: Meter;
  readonly quotas: Quotas;
  readonly scripts: ScriptRunner;
  readonly runs: Runs;
  /** Where the interface is reached, without a slash at the end: `https://api.example.com`. */
  readonly apiUrl: () => string;
  readonly templates: TemplateEngine;
  readonly certificates: CertificateOpener;
}
