import type { SecretVersion } from '../accounts/rules/master-secrets.ts';
import type { PasswordJob } from '../accounts/rules/passwords.ts';
import type { RoomReference } from '../channels/rules/room-log.ts';
import type { ProviderPush } from '../push/rules/payload.ts';
import type { OpenedPkcs12 } from '../push/rules/pkcs12.ts';
import type { PushCredential, PushScope } from '../push/rules/provider.ts';
import type { Store, Stored, Write } from '../store/store.ts';
import type { MessageData } from '../table/records/channels.ts';
import type { SessionData } from '../table/records/user-accounts.ts';
import type { TemplateEngine } from '../templates/jinja/rendering.ts';
import type { Ending } from '../values/ending.ts';
import type { Tenant } from '../values/tenant.ts';
import type { Egress } from './egress/egress.ts';
import type { FileStore } from './file-store.ts';
import type { Share } from './limits/fair-queue.ts';
import type { Scans } from './limits/scans.ts';
import type { RequestLog, RequestRecord } from './request-log.ts';
import type { FinishedTrace, RunReference, RunRequest } from './run-request.ts';
import type { ScriptIsolation, ScriptRunner } from './script-runner.ts';
import type { PublicSetting, SettingValues } from './setting-variables.ts';
import type { commonSettings } from './settings.ts';
import type { SocialBackend, SocialVerifier } from './social-verifier.ts';

/** Source of the time. Tests fix it. */
export interface Clock {
  /** Returns microseconds since 1970, strictly greater at each call in one process. */
  micros(): number;
  /** Returns milliseconds since an arbitrary moment, with fractions; independent of changes to the machine's time. */
  steadyMs(): number;
}

/** Source of random or unique values. Tests fix it. */
export interface Ids {
  /** Returns a random id of a write or a request: 20 to 32 lower-case hex digits. */
  random(): string;
}

/** The deployment's master secrets, from which keys are derived. */
export interface Secrets {
  /** Returns the version that new keys use, 1 to 255. One that an operator adds is used within two minutes. */
  current(): Promise<SecretVersion>;
  /** Returns an older version; undefined when the operator has retired it. */
  get(version: number): Promise<SecretVersion | undefined>;
}

/**
 * Writes one structured line for operators. Never pass it a key, secret, password or body.
 *
 * @param request of the line of a request: its record for the log of its instance, if it has one
 */
export type Log = (entry: LogEntry, request?: RequestRecord) => void;

/** A log line: the event, and fields for diagnosing it. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'error';
  readonly message: string;
  readonly requestId?: string;
  readonly [field: string]: unknown;
}

/** Sends mail to users and accounts. */
export interface Mailer {
  /** `log`: mails are lines of the log. `direct`: sends during the request. `queue`: a job sends, and tries again. */
  readonly delivery: 'log' | 'direct' | 'queue';
  /**
   * Sends a mail, at most once.
   *
   * @throws MailError
   */
  send(mail: Mail, options?: SendMailOptions): Promise<void>;
  /** Counts the result of a queued mail, for metrics. */
  readonly count?: (result: MailResult) => void;
  /** Ends attempts to send, because the process ends: at once before the hand-over, soon after it. */
  readonly close?: () => void;
}

/** Options of an attempt to send a mail. */
export interface SendMailOptions {
  /** Awaited before the content is transmitted: from then on the mail may arrive. */
  readonly handOver?: () => Promise<void>;
  /** Owner and instance that its turn counts for; absent: those of the operator. */
  readonly share?: Share;
}

/** Result of an attempt to send a mail. */
export type MailResult = 'sent' | 'retried' | 'unconfirmed' | 'failed';

/** One mail. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same as HTML; absent: there is only text. */
  readonly html?: string;
}

/** Error of a mailer. Its message contains nothing that the mail server sent but codes. */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** `temporary`: not sent, another attempt may work. `rejected`: not sent. `unconfirmed`: it may have been sent. */
  readonly outcome: 'temporary' | 'rejected' | 'unconfirmed';

  constructor(outcome: MailError['outcome'], message: string) {
    super(message);
    this.outcome = outcome;
  }
}

/** Settings of an operator. */
export interface Settings
  extends Omit<SettingValues<typeof commonSettings>, 'logLevel' | 'mailFrom' | 'requestLog'> {
  /**
   * Clients that may register: `open` any client, `closed` only with the set-up code or an invitation, `local` in
   * addition programs of the server's machine and pages that it serves.
   */
  readonly registration: 'open' | 'closed' | 'local';
}

/** Hashes passwords, which takes long, without delaying other requests. */
export interface PasswordHasher {
  /**
   * Computes one hash.
   *
   * @param share owner and instance that its turn counts for
   * @throws ApiError 503 when the queue is full
   */
  run(job: PasswordJob, share: Share): Promise<Uint8Array>;
}

/** Processing of committed writes, outside the requests that make them. */
export interface ChangeProcessing {
  /**
   * Resolves when consumers have counted everything that was acknowledged before. Where that may take longer than a
   * reader waits, on AWS or while a consumer fails, it resolves at once.
   */
  settled(): Promise<void>;
}

/**
 * Counts the usage of instances: in memory, written to the table outside the path of requests. A process that is killed
 * loses its counts since the last write.
 */
export interface Meter {
  /** Counts a request in an instance. */
  countRequest(instance: number): void;
  /** Counts a run of a script with its duration in milliseconds. */
  countRun(instance: number, durationMs: number): void;
  /** Counts bytes of a trace. */
  countTrace(instance: number, bytes: number): void;
  /**
   * Extends a session of a user from its use now, once a day.
   *
   * @param end latest end of the session, in seconds, as of a guest
   */
  noteSession(session: Stored<SessionData>, end?: number): void;
  /**
   * Starts a write if the oldest count is older than ten seconds, and none is active.
   *
   * @returns the end of that write, which never rejects; undefined when none was started
   */
  flushOld(): Promise<void> | undefined;
  /** Writes all counts. Never rejects: counts that cannot be written are kept for the next time, and logged. */
  flush(): Promise<void>;
}

/** Kinds of data with a quota of bytes in each instance. */
export type QuotaKind = 'objects' | 'files' | 'traces';

/** The quotas of instances, where an operator has set some. */
export interface Quotas {
  isLimited(kind: QuotaKind): boolean;
  /** Reserves room for more bytes, until it is certain whether they are stored. */
  take(instance: number, kind: QuotaKind, bytes: number): Promise<Reservation>;
}

/** Reserved room, or the reason why it was denied. */
export interface Reservation {
  /** Message for clients; undefined: there is room. */
  readonly exceeded: string | undefined;
  /** Releases the room; stored bytes are counted from now on. To be called once. */
  release(isStored: boolean): void;
}

/** What happens to pushes: push services get them, or a file. */
export type PushMode = 'send' | 'outbox';

/**
 * Sends pushes through a push service. An application holds the credential of one environment; an endpoint is a device as an
 * application knows it. Everything except `publish` may be repeated safely.
 *
 * Each method throws PushFailure when the service rejects it.
 */
export interface PushSender {
  readonly mode: PushMode;
  /**
   * Creates the application of an environment, or updates the credential of the existing one.
   *
   * @param current the last application of the environment, if any
   */
  openApplication(scope: PushScope, credential: PushCredential, current?: string): Promise<string>;
  /** Deletes an application if it exists. */
  closeApplication(application: string): Promise<void>;
  /** Creates the endpoint of a device, or finds and enables it. */
  createEndpoint(application: string, device: EndpointDevice): Promise<string>;
  setEndpoint(endpoint: string, token: string, isEnabled: boolean): Promise<void>;
  /** Deletes an endpoint if it exists. */
  removeEndpoint(endpoint: string): Promise<void>;
  /** Sends one push, at most once; returns the service's id of it. */
  publish(endpoint: string, push: ProviderPush): Promise<string>;
}

/** A device as a push service stores it. */
export interface EndpointDevice {
  readonly token: string;
  /** Shown with it in the service's own pages: instance, and no secrets. */
  readonly note: string;
}

/** Encrypts data that only this deployment may read. */
export interface Vault {
  /** @param context identifies where the text belongs; opening it requires the same */
  seal(text: string, context: Readonly<Record<string, string>>): Promise<string>;
  /**
   * @throws KeyGone when the deployment no longer has the key that sealed it
   * @throws Error when it cannot be read for any other reason
   */
  open(sealed: string, context: Readonly<Record<string, string>>): Promise<string>;
}

/** Error of a vault for a text whose key the deployment does not have: what was sealed has to be sent again. */
export class KeyGone extends Error {
  override readonly name = 'KeyGone';
}

/** Runs scripts outside the requests that start them. */
export interface Runs {
  /** Begins the run of a pending trace, at most once for any number of calls; does not wait for its end. */
  start(run: RunReference): Promise<void>;
  /**
   * Checks whether a run has ended, or its process is dead, as its trace has been `processing` since then (epoch
   * milliseconds). To be asked when jobs that guard runs are due.
   */
  isOver(sinceMs: number): boolean;
  /**
   * Runs a script and waits for its end, up to `ms`.
   *
   * @returns undefined when it takes longer: it continues, and its trace has the result
   */
  wait(request: RunRequest, ms: number): Promise<FinishedTrace | undefined>;
  /** Milliseconds that a request may wait before a gateway or proxy in front times out. */
  readonly maxWaitMs: number;
}

/**
 * Opens an uploaded `.p12` file without pass phrase. Its cost, however high, does not delay others.
 *
 * @returns undefined when it cannot be read
 */
export type CertificateOpener = (
  bytes: Uint8Array,
  tenant: Tenant,
) => Promise<OpenedPkcs12 | undefined>;

/** A message to be published. */
export interface MessageDraft
  extends Pick<MessageData, 'action' | 'author' | 'metadata' | 'payload'> {
  /** Further writes of its transaction. One whose condition fails shows that the message was published before. */
  readonly writes?: readonly Write[];
}

/** A reader's position in a room. */
export interface RoomPosition {
  readonly reference: RoomReference;
  /** Id of the last message that it has seen; 0: none. */
  readonly after: number;
}

/** Publishes messages of channels, and waits for them. */
export interface Messages {
  /**
   * Publishes a message, durable when it resolves. Messages become visible in the order of their ids.
   *
   * @returns undefined when it was published before
   * @throws ApiError 429 after many write conflicts
   */
  publish(reference: RoomReference, draft: MessageDraft): Promise<MessageData | undefined>;
  /** Resolves when one of the rooms has a message after its position, after `ms`, or when the request ends. */
  wait(
    positions: readonly RoomPosition[],
    limit: { readonly ms: number; readonly ending: Ending | undefined },
  ): Promise<void>;
  /** Admits a request that waits for messages; it must be released in any case. */
  admit(share: Share, use: 'poll' | 'stream'): Promise<PollSlot>;
}

/** Time that a request for messages may wait. */
export interface PollSlot {
  /** Longest wait in milliseconds; short where there is no room for longer ones. */
  readonly waitMs: number;
  /** How long a response may remain open to send messages as they come, in milliseconds; 0: it may not. */
  readonly openMs: number;
  release(): Promise<void>;
}

/** All differences between AWS, one machine and tests. */
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
  readonly egress: Egress;
  /** Verifiers of the services that the operator has configured. */
  readonly social: Readonly<Partial<Record<SocialBackend, SocialVerifier>>>;
  readonly settings: Settings;
  /** Settings that every account may see. */
  readonly publicSettings: readonly PublicSetting[];
  readonly passwords: PasswordHasher;
  readonly scans: Scans;
  readonly changes: ChangeProcessing;
  readonly meter: Meter;
  readonly quotas: Quotas;
  readonly scripts: ScriptRunner;
  /** Returns what separates scripts from each other and from the server. */
  readonly scriptIsolation: () => Promise<ScriptIsolation>;
  readonly runs: Runs;
  readonly messages: Messages;
  /** Returns the address of the interface, without a slash at the end: `https://api.example.com`. */
  readonly apiUrl: () => string;
  readonly templates: TemplateEngine;
  readonly certificates: CertificateOpener;
  readonly requestLog: RequestLog;
}
