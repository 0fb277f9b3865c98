import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loggingMailer } from '../../accounts/mail/logging-mailer.ts';
import type { ChangeConsumer, ChangeFilter, Services } from '../../jobs/change-feed.ts';
import { type DataFormat, migrateData, migrationJobs } from '../../jobs/data-version.ts';
import { letterJob } from '../../jobs/dead-letters.ts';
import type { JobType } from '../../jobs/jobs.ts';
import { openClock } from '../../ports/clock.ts';
import { openDerivedVault } from '../../ports/derived-vault.ts';
import { openIds } from '../../ports/ids.ts';
import { openScans } from '../../ports/limits/scans.ts';
import type { Clock, Log, Platform, PushSender, Secrets, Settings } from '../../ports/ports.ts';
import { dataVersion, NewerData } from '../../table/data-version.ts';
import { openMeter } from '../../usage/meter.ts';
import { openQuotas } from '../../usage/quotas.ts';
import { neverRejects } from '../../values/promises/in-background.ts';
import { openCertificates } from './certificates.ts';
import { openControl } from './control.ts';
import { openDataFolder } from './files/data-folder.ts';
import {
  type FilesOptions,
  type LocalFiles,
  openFiles,
  openTemporaryFiles,
} from './files/files.ts';
import { type Background, startBackground } from './jobs/background.ts';
import type { OpenMailer } from './mail/mailer.ts';
import { type LocalMessages, openMessages } from './messages.ts';
import { handleControl } from './operations/control-requests.ts';
import { openPasswordThreads } from './password-threads.ts';
import { type Outbox, openOutbox, openTemporaryOutbox } from './push.ts';
import { openProcesses, type Processes, type ProcessesOptions } from './scripts/processes.ts';
import { type LocalRuns, openRuns } from './scripts/runs.ts';
import { type LocalScripts, openScripts } from './scripts/scripts.ts';
import { openSecrets, temporarySecrets } from './secrets.ts';
import { openRunningRequests, type RunningRequests } from './server/calls.ts';
import { StartError } from './server/start-error.ts';
import { checkStoreThere, hasStore, identifyStore } from './store/identity.ts';
import { type LocalStore, openStore, openTemporaryStore } from './store/store.ts';
import { openTemplates } from './templates.ts';

/** Consumers of the change feed and job types. */
export interface BackgroundTasks {
  readonly consumers: readonly ChangeConsumer[];
  readonly jobTypes: readonly JobType[];
  /** The current version without migrations when absent. */
  readonly dataFormat?: DataFormat;
}

/** Location of a platform's data, and its settings. */
export interface PlatformOptions {
  /** The data folder, created when absent; undefined: in memory, lost with the process. */
  readonly folder: string | undefined;
  readonly settings: Settings;
  readonly log: Log;
  /** Consumers and job types to run in the background. */
  readonly background: BackgroundTasks;
  /** Address of the server, without a slash at the end; read when the address of a file is built. */
  readonly url: () => string;
  /** Services for social log-in; none when absent. */
  readonly social?: Platform['social'];
  /** Opens the mailer; absent: mails are lines of the log. */
  readonly openMailer?: OpenMailer;
  /** For tests: a fixed clock. */
  readonly clock?: Clock;
  /** For tests: a sender to use instead of the outbox. */
  readonly push?: PushSender;
  /** For tests: puts a wrapper around the files, which background jobs use as well. */
  readonly wrapFiles?: (files: LocalFiles) => LocalFiles;
  /** Resolves when the server accepts requests, false when it does not start; at once when absent. */
  readonly ready?: Promise<boolean>;
  /** Approximate heap for recently used items of the store; 128 MB when absent. */
  readonly cacheBytes?: number | undefined;
  /** Options of the child processes that run scripts. */
  readonly scripts?: ProcessesOptions;
}

/** The platform of one machine, which can be closed. */
export interface LocalPlatform extends Platform {
  /** Absolute path of the data folder; undefined: in memory. */
  readonly folder: string | undefined;
  readonly scripts: LocalScripts;
  readonly runs: LocalRuns;
  readonly messages: LocalMessages;
  readonly files: LocalFiles;
  readonly push: Outbox;
  /** Resolves when no child process can be started any more, although the platform was not closed. */
  readonly lost: Promise<void>;
  /** Returns a dispatch whose requests are tracked; background jobs wait for them where they must. */
  track: RunningRequests['track'];
  /** Resolves when everything that follows from earlier requests is done, except jobs that are due later. */
  idle(): Promise<void>;
  /** Ends scripts and background jobs, closes the store, then unlocks the folder. */
  close(): Promise<void>;
}

const currentFormat: DataFormat = { version: dataVersion, migrations: [] };
const lookMs = 1000; // interval of checks for old counts

interface Medium {
  readonly folder: string | undefined;
  readonly store: LocalStore;
  readonly secrets: Secrets;
  readonly files: LocalFiles;
  readonly push: Outbox;
  close(): Promise<void>;
}

/**
 * Opens everything that one machine offers in place of AWS: store, secrets, clock, ids.
 *
 * @throws StartError when the folder cannot be used; Error when its data cannot be read
 */
export async function openPlatform(options: PlatformOptions): Promise<LocalPlatform> {
  const { settings, log, url, clock = openClock(), social = {} } = options;
  const nowMs = () => clock.micros() / 1000;
  const ids = openIds();
  const { consumers, dataFormat = currentFormat } = options.background;
  const watches = consumers.flatMap((consumer) => consumer.watches);
  const { cacheBytes } = options;
  const shared = { nowMs, url, log, clock, ids, watches, cacheBytes, dataFormat };
  const medium = await openMedium(options, shared);
  const { store, files } = medium;
  const push = { ...medium.push, ...options.push };
  const calls = openRunningRequests(clock);
  const dataFolder = medium.folder === undefined ? {} : { folder: medium.folder };
  const processes = openProcesses({ ...dataFolder, log, ...options.scripts });
  const scripts = openScripts({ processes });
  const counts = { store, clock, settings, meter: openMeter({ store, clock, ids, log }) };
  const forRuns = {
    store,
    files,
    secrets: medium.secrets,
    clock,
    ids,
    log,
    scripts,
    scriptIsolation: () => scripts.isolation(),
    apiUrl: url,
    meter: counts.meter,
    quotas: openQuotas({ ...counts, settled: () => background.changes.settled() }),
  };
  const runs = openRuns(forRuns, options.ready);
  const helpers = openHelpers(processes);
  const services = {
    ...forRuns,
    ...helpers.ports,
    runs,
    messages: openMessages({ store, clock, ids, settings }),
    push,
    social,
    settings,
    vault: openDerivedVault(medium.secrets),
    mailer: (options.openMailer ?? loggingMailer)(log),
  };
  const tasks = { consumers, kinds: jobTypesOf(options.background) };
  const background: Background = startBackground({ feed: store.feed, services, calls, ...tasks });
  const control = await openControlOf(medium.folder, { ...services, consumers });
  return {
    ...medium,
    ...services,
    push,
    changes: background.changes,
    lost: processes.lost,
    track: calls.track,
    ...openEnds({ ...services, background, control, helpers, medium }),
  };
}

/** Opens the medium, with the wrapper of a test around its files. */
async function openMedium({ folder, wrapFiles }: PlatformOptions, shared: Shared): Promise<Medium> {
  const medium = folder === undefined ? await openMemory(shared) : await openFolder(folder, shared);
  return wrapFiles === undefined ? medium : { ...medium, files: wrapFiles(medium.files) };
}

/** Returns the job types of the features, of migrations, and of replays. */
function jobTypesOf({
  consumers,
  jobTypes,
  dataFormat = currentFormat,
}: PlatformOptions['background']): readonly JobType[] {
  return [...jobTypes, ...migrationJobs(dataFormat), letterJob(consumers)];
}

interface Ending extends Pick<LocalPlatform, 'scripts' | 'runs' | 'meter' | 'mailer'> {
  readonly background: Background;
  readonly control: { close(): Promise<void> } | undefined;
  readonly helpers: { close(): Promise<void> };
  readonly medium: Medium;
}

/** Returns the functions that wait for running work and end it; until then, flushes the meter periodically. */
function openEnds(parts: Ending): Pick<LocalPlatform, 'idle' | 'close'> {
  const { scripts, runs, meter, mailer, background, control, helpers, medium } = parts;
  const look = () => {
    const flushed = meter.flushOld();
    if (flushed !== undefined) neverRejects(flushed);
  };
  const flushing = setInterval(look, lookMs).unref();
  return {
    idle: async () => {
      await background.idle();
      await runs.idle();
      await background.idle();
    },
    close: async () => {
      await control?.close();
      mailer.close?.();
      await scripts.close(); // first: background jobs may wait for a script
      await runs.idle();
      await background.stop();
      clearInterval(flushing);
      await helpers.close();
      await meter.flush();
      await medium.close();
    },
  };
}

/** Accepts requests of commands for operators, where there is a folder. */
async function openControlOf(
  folder: string | undefined,
  { consumers, ...services }: Services & { readonly consumers: readonly ChangeConsumer[] },
) {
  if (folder === undefined) return undefined;
  return openControl(folder, (request) => handleControl(services, consumers, request));
}

/** Opens the workers for requests: processes, threads, and the time slices of this thread. */
function openHelpers(processes: Processes) {
  const passwords = openPasswordThreads();
  return {
    ports: {
      templates: openTemplates(processes),
      certificates: openCertificates(processes),
      passwords,
      scans: openScans(),
    },
    close: () => passwords.close(),
  };
}

type Shared = Pick<FilesOptions, 'nowMs' | 'url' | 'log'> &
  Pick<Platform, 'clock' | 'ids'> &
  Pick<PlatformOptions, 'cacheBytes'> & {
    readonly watches: readonly ChangeFilter[];
    readonly dataFormat: DataFormat;
  };

async function openMemory(shared: Shared): Promise<Medium> {
  const store = await openTemporaryStore({ ...shared, now: shared.nowMs });
  const files = await openTemporaryFiles(shared);
  const push = openTemporaryOutbox(shared);
  return {
    folder: undefined,
    store,
    files,
    push,
    secrets: temporarySecrets(),
    close: async () => {
      files.close();
      push.close();
      await store.close();
    },
  };
}

async function openFolder(path: string, shared: Shared): Promise<Medium> {
  const { nowMs } = shared;
  const folder = await openDataFolder(path);
  try {
    const storePath = join(folder.path, 'store');
    const isThere = await hasStore(storePath);
    checkStoreThere(folder, isThere);
    const secrets = await openSecrets(folder.path, { isNew: folder.isNew && !isThere, nowMs });
    await mkdir(storePath, { recursive: true, mode: 0o700 });
    const store = await openStore({ ...shared, path: storePath, now: nowMs });
    const identity = await closingOnError(store, async () => {
      const id = await identifyStore(folder, { store, ids: shared.ids });
      await migrateFolder(folder.path, { ...shared, store });
      return id;
    });
    const files = await openFiles({ ...shared, folder: join(folder.path, 'files'), durable: true });
    const push = openOutbox({ ...shared, folder: join(folder.path, 'outbox') });
    await closingOnError(store, () => folder.markFormat(identity));
    return {
      folder: folder.path,
      store,
      files,
      push,
      secrets,
      close: async () => {
        files.close();
        push.close();
        await store.close();
        await folder.release();
      },
    };
  } catch (error) {
    await folder.release();
    throw error;
  }
}

/** Closes the store if `use` fails: a test may open the folder again in the same process. */
async function closingOnError<Result>(
  store: LocalStore,
  use: () => Promise<Result>,
): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Starts the migrations of a folder's data. */
async function migrateFolder(
  path: string,
  { dataFormat, ...services }: Shared & Pick<Platform, 'store'>,
): Promise<void> {
  try {
    await migrateData(services, dataFormat);
  } catch (error) {
    if (!(error instanceof NewerData)) throw error;
    throw new StartError(`the data in ${path} is of a newer version (${error.message})`);
  }
}
