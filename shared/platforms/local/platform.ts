import { loggingMailer } from '../../accounts/mail/logging-mailer.ts';
import type { ChangeConsumer, Services } from '../../jobs/change-feed.ts';
import { type DataFormat, migrationJobs } from '../../jobs/data-version.ts';
import { letterJob } from '../../jobs/dead-letters.ts';
import type { JobType } from '../../jobs/jobs.ts';
import { openClock } from '../../ports/clock.ts';
import { openDerivedVault } from '../../ports/derived-vault.ts';
import { openEgress } from '../../ports/egress/open-egress.ts';
import { openIds } from '../../ports/ids.ts';
import { openScans } from '../../ports/limits/scans.ts';
import type { Clock, Log, Platform, PushSender, Settings } from '../../ports/ports.ts';
import type { Variables } from '../../ports/setting-variables.ts';
import { dataVersion } from '../../table/data-version.ts';
import { openMeter } from '../../usage/meter.ts';
import { openQuotas } from '../../usage/quotas.ts';
import { neverRejects } from '../../values/promises/in-background.ts';
import { openCertificates } from './certificates.ts';
import { openControl } from './control.ts';
import { countRuns, type MetricCounts, openCounts } from './counts/counts.ts';
import { listPublicSettings } from './environment.ts';
import type { LocalFiles } from './files/files.ts';
import { type Background, startBackground } from './jobs/background.ts';
import type { OpenMailer } from './mail/mailer.ts';
import { type Medium, type MediumParts, openMedium } from './medium.ts';
import { type LocalMessages, openMessages } from './messages.ts';
import { openReadings, type Readings } from './metrics/readings.ts';
import { handleControl } from './operations/control-requests.ts';
import { openPasswordThreads } from './password-threads.ts';
import { openPictures } from './pictures/pictures.ts';
import { openThumbs, type Thumbs } from './pictures/thumbs.ts';
import type { LocalPush, PushSettings } from './push/local-push.ts';
import { openProcesses, type Processes, type ProcessesOptions } from './scripts/processes.ts';
import { type LocalRuns, openRuns } from './scripts/runs.ts';
import { type LocalScripts, openScripts } from './scripts/scripts.ts';
import { openRunningRequests, type RunningRequests } from './server/calls.ts';
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
  /** Sends requests to addresses of tenants; absent: one with the settings. */
  readonly egress?: Platform['egress'];
  /** Services for social log-in; none when absent. */
  readonly social?: Platform['social'];
  /** Opens the mailer; absent: mails are lines of the log. */
  readonly openMailer?: OpenMailer;
  /** For tests: a fixed clock. */
  readonly clock?: Clock;
  /** How pushes are sent; without it they go into the outbox. */
  readonly pushing?: PushSettings;
  /** For tests: a sender to use instead. */
  readonly push?: PushSender;
  /** For tests: puts a wrapper around the files, which background jobs use as well. */
  readonly wrapFiles?: (files: LocalFiles) => LocalFiles;
  /** Resolves when the server accepts requests, false when it does not start; at once when absent. */
  readonly ready?: Promise<boolean>;
  /** Approximate heap for recently used items of the store; 128 MB when absent. */
  readonly cacheBytes?: number | undefined;
  /** Options of the child processes that run scripts. */
  readonly scripts?: ProcessesOptions;
  /** Variables of the environment, of which accounts see some; none when absent. */
  readonly variables?: Variables;
  /** Whether instances have a log of their requests; true when absent. */
  readonly logsRequests?: boolean | undefined;
}

/** The platform of one machine, which can be closed. */
export interface LocalPlatform extends Platform {
  /** Absolute path of the data folder; undefined: in memory. */
  readonly folder: string | undefined;
  readonly scripts: LocalScripts;
  readonly runs: LocalRuns;
  readonly messages: LocalMessages;
  readonly files: LocalFiles;
  /** Smaller pictures of files. */
  readonly thumbs: Thumbs;
  readonly push: LocalPush;
  /** Counts of mails, pushes, backups and runs for metrics. */
  readonly metrics: MetricCounts;
  /** Returns what metrics show of its parts. */
  readonly readings: () => Readings;
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

/**
 * Opens everything that one machine offers in place of AWS: store, secrets, clock, ids.
 *
 * @throws StartError when the folder cannot be used; Error when its data cannot be read
 */
export async function openPlatform(options: PlatformOptions): Promise<LocalPlatform> {
  const { settings, url, clock = openClock(), social = {} } = options;
  const nowMs = () => clock.micros() / 1000;
  const ids = openIds();
  const metrics = openCounts();
  const { consumers } = options.background;
  const medium = await openMediumOf(options, { nowMs, clock, ids, metrics });
  const { store, files, secrets, requestLog } = medium;
  const log = requestLog.taking(options.log);
  const calls = openRunningRequests(clock);
  const processes = openProcesses({ folder: medium.folder, log, ...options.scripts });
  const scripts = countRuns(openScripts({ processes }), metrics);
  const usage = { store, clock, settings, meter: openMeter({ store, clock, ids, log }) };
  const forRuns = {
    store,
    files,
    secrets,
    clock,
    ids,
    log,
    scripts,
    scriptIsolation: () => scripts.isolation(),
    apiUrl: url,
    meter: usage.meter,
    quotas: openQuotas({ ...usage, settled: () => background.changes.settled() }),
  };
  const helpers = openHelpers(processes);
  const services = {
    ...forRuns,
    ...helpers.ports,
    runs: openRuns(forRuns, options.ready),
    messages: openMessages({ store, clock, ids, settings }),
    push: { ...medium.push, ...options.push },
    social,
    ...settingsOf(options, medium),
    vault: openDerivedVault(secrets),
    egress: options.egress ?? openEgress({ log, allowed: settings.egressAllow }),
    mailer: (options.openMailer ?? loggingMailer)(log, metrics.countMail),
    requestLog,
  };
  const tasks = { consumers, kinds: jobTypesOf(options.background) };
  const background: Background = startBackground({ feed: store.feed, services, calls, ...tasks });
  const control = await openControlOf(medium.folder, { ...services, consumers });
  return {
    ...medium,
    ...services,
    thumbs: openThumbs({ ...services, pictures: openPictures(processes) }),
    metrics,
    readings: openReadings({ ...services, ...helpers.ports, store, processes, background }),
    changes: background.changes,
    lost: processes.lost,
    track: calls.track,
    ...openEnds({ ...services, background, control, helpers, medium }),
  };
}

/** Returns the settings, and those that every account may see. */
function settingsOf({ settings, variables = {} }: PlatformOptions, { push }: Medium) {
  const { registration } = settings;
  const publicSettings = listPublicSettings(variables, { registration, pushMode: push.mode });
  return { settings, publicSettings };
}

/** Returns the settings of pushes with a function that counts their results, unless they have one. */
function countPushes(settings: PushSettings | undefined, metrics: MetricCounts) {
  const onResult: PushSettings['onResult'] = (result, service) =>
    metrics.countPush(service, result);
  return settings && { onResult, ...settings };
}

interface Counters extends Pick<MediumParts, 'nowMs' | 'clock' | 'ids'> {
  readonly metrics: MetricCounts;
}

/** Opens the medium, with the wrapper of a test around its files. */
async function openMediumOf(
  {
    folder,
    wrapFiles,
    log,
    url,
    cacheBytes,
    logsRequests,
    background,
    ...options
  }: PlatformOptions,
  { metrics, ...parts }: Counters,
): Promise<Medium> {
  const { consumers, dataFormat = currentFormat } = background;
  const watches = consumers.flatMap((consumer) => consumer.watches);
  const pushing = countPushes(options.pushing, metrics);
  const medium = await openMedium(folder, {
    ...parts,
    log,
    url,
    cacheBytes,
    logsRequests,
    dataFormat,
    watches,
    pushing,
  });
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
