import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openRenderer } from '../runtimes/templates/renderer.ts';
import { consumers, watches, workKinds } from '../services/background.ts';
import { openClock } from '../services/clock.ts';
import { openIds } from '../services/ids.ts';
import { loggingMailer } from '../services/mailers.ts';
import { openMeter } from '../services/meter.ts';
import type { Clock, Log, Platform, PushSender, Secrets, Settings } from '../services/ports.ts';
import { openScans } from '../services/scans.ts';
import { startBackground } from './background.ts';
import { type Calls, openCalls } from './calls.ts';
import { openDataFolder } from './data-folder.ts';
import { type FilesOptions, type LocalFiles, openFiles, openTemporaryFiles } from './files.ts';
import { openPasswordThreads } from './password-threads.ts';
import { type Outbox, openOutbox, openTemporaryOutbox } from './push.ts';
import { type LocalRuns, openRuns } from './runs.ts';
import { type LocalScripts, type LocalScriptsOptions, openScripts } from './scripts/scripts.ts';
import { openSecrets, temporarySecrets } from './secrets.ts';
import { type LocalStore, openStore, openTemporaryStore } from './store.ts';
import { templateProgram } from './template-program.ts';
import { openVault } from './vault.ts';

/** Where a platform keeps its data, and what was set. */
export interface PlatformOptions {
  /** The data folder, made when absent; undefined: in memory, gone with the process. */
  readonly folder: string | undefined;
  readonly settings: Settings;
  readonly log: Log;
  /** Address of the server, without a slash at the end; asked for when a file is shown. */
  readonly url: () => string;
  /** Log-ins by other services; none when absent. */
  readonly social?: Platform['social'];
  /** A test may fix it. */
  readonly clock?: Clock;
  /** A test may send in another way than into the outbox. */
  readonly push?: PushSender;
  /** What scripts may do on this machine. */
  readonly scripts?: LocalScriptsOptions;
}

/** The platform of one machine, to be closed. */
export interface LocalPlatform extends Platform {
  /** Absolute path of the data folder; undefined: in memory. */
  readonly folder: string | undefined;
  readonly scripts: LocalScripts;
  readonly runs: LocalRuns;
  readonly files: LocalFiles;
  readonly push: Outbox;
  /** Makes a dispatch whose calls the work in the background waits for where it must. */
  track: Calls['track'];
  /** Resolves when all that follows from earlier calls is done, but for work that is due later. */
  idle(): Promise<void>;
  /** Ends scripts and the work in the background, closes the store, then lets another process use the folder. */
  close(): Promise<void>;
}

const lookMs = 1000; // how often it is asked whether counts are old

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
  const { folder, settings, log, url, clock = openClock(), social = {} } = options;
  const nowMs = () => clock.micros() / 1000;
  const ids = openIds();
  const shared = { nowMs, url, log, clock, ids };
  const medium = folder === undefined ? await openMemory(shared) : await openFolder(folder, shared);
  const mailer = loggingMailer(log);
  const { store, files } = medium;
  const push = { ...medium.push, ...options.push };
  const vault = openVault(medium.secrets);
  const calls = openCalls(clock);
  const place = medium.folder === undefined ? {} : { folder: medium.folder };
  const scripts = openScripts({ ...place, ...options.scripts });
  const forRuns = {
    store,
    files,
    secrets: medium.secrets,
    clock,
    ids,
    log,
    scripts,
    apiUrl: url,
    meter: openMeter({ store, clock, ids, log }),
  };
  const runs = openRuns(forRuns);
  const { close: closeHelpers, ...helpers } = openHelpers();
  const services = { ...forRuns, runs, push, vault, mailer, social, settings, ...helpers };
  const flushing = setInterval(() => services.meter.flushOld(), lookMs).unref();
  const background = startBackground({
    ...{ feed: store.feed, services, calls, consumers, kinds: workKinds },
  });
  return {
    ...{ ...medium, ...services, push, changes: background.changes },
    track: calls.track,
    idle: async () => {
      await background.idle();
      await runs.idle();
      await background.idle();
    },
    close: async () => {
      await scripts.close(); // first: the background may wait for one
      await runs.idle();
      await background.stop();
      clearInterval(flushing);
      await closeHelpers();
      await services.meter.flush();
      await medium.close();
    },
  };
}

/** What works for requests: a process, threads, and the turns of this thread. */
function openHelpers() {
  const templates = openRenderer({ program: templateProgram });
  const passwords = openPasswordThreads();
  const close = async () => {
    templates.close();
    await passwords.close();
  };
  return { templates, passwords, scans: openScans(), close };
}

type Shared = Pick<FilesOptions, 'nowMs' | 'url' | 'log'> & Pick<Platform, 'clock' | 'ids'>;

async function openMemory(shared: Shared): Promise<Medium> {
  const store = await openTemporaryStore({ now: shared.nowMs, watches });
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
    const secrets = await openSecrets(folder.path, { isNew: folder.isNew, nowMs });
    const storePath = join(folder.path, 'store');
    await mkdir(storePath, { recursive: true, mode: 0o700 });
    const store = await openStore({ path: storePath, now: nowMs, watches });
    const files = await openFiles({ ...shared, folder: join(folder.path, 'files'), durable: true });
    const push = openOutbox({ ...shared, folder: join(folder.path, 'outbox') });
    await folder.markFormat();
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
