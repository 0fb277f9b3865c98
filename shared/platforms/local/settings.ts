import * as v from 'valibot';
import {
  anyText,
  choiceVariable,
  matchingText,
  orUndefined,
  publicSetting,
  type Setting,
  type SettingGroup,
  secretSetting,
  setting,
  whole,
} from '../../ports/setting-variables.ts';
import { isBackupSchedule } from './backup/backup-times.ts';
import { keepPattern } from './backup/retention.ts';
import { smtpUrl } from './mail/smtp-url.ts';

const megabyte = 2 ** 20;
const megabytes = (min: number, max: number) =>
  v.optional(
    v.pipe(
      whole(min, max),
      v.transform((count) => count * megabyte),
    ),
  );

/** Form of a secret that other programs send. */
export const secretPattern = /^([!-~]{32,256})?$/;
/** The same in words. */
export const secretForm = '32 to 256 characters, without spaces';

/** Variables of one machine, in addition to those of each platform. */
export const localSettings = {
  /**
   * Public address of the server: file addresses begin with it, and scripts send requests to it.
   * @defaultValue the address it listens on
   */
  url: setting(
    'GROUNDWORK_URL',
    v.pipe(
      v.optional(v.string(), ''),
      v.transform((text) => text.replace(/\/$/, '')),
      v.regex(/^(https?:\/\/[^\s/?#]+)?$/, 'an address such as https://api.example.com'),
      orUndefined,
    ),
  ),
  /**
   * Lines of the log as `text`, for people, or `json`, for programs.
   * @defaultValue `text` if standard error is a terminal, else `json`
   */
  logFormat: setting(
    'GROUNDWORK_LOG_FORMAT',
    v.optional(v.picklist(['text', 'json'], 'one of text, json')),
  ),
  /**
   * [Memory](../guides/running-locally.md#memory) of the server and all scripts together.
   * @defaultValue that of the container, else of the machine
   */
  totalBytes: setting('GROUNDWORK_MEMORY_MB', megabytes(512, 16_777_216)), // with less, scripts have too little
  /**
   * Memory for recently used objects; the server needs about 200 MB more.
   * @defaultValue 128, or a sixteenth of the memory if that is less
   */
  cacheBytes: setting('GROUNDWORK_CACHE_MB', megabytes(8, 65_536)),
  /** Folder with a set of [Python packages](../guides/scripts.md#python-packages), for a data folder without one. */
  packages: setting(
    'GROUNDWORK_PYTHON_PACKAGES',
    matchingText(/^(\/.*)?$/, 'the absolute path of a folder'),
  ),
  /** Address that gets a mail when a backup by [schedule](../guides/backups.md#a-schedule) has failed. */
  operatorMail: setting(
    'GROUNDWORK_OPERATOR_MAIL',
    matchingText(/^([^\s@,<>]{1,64}@[^\s@,<>]{1,189})?$/, 'one address'),
  ),
  /**
   * Number of proxies that a request passes; each must add the client's address to `X-Forwarded-For`. Needs
   * `--proxy-socket` or the next setting.
   * @defaultValue 1 with one of these
   */
  proxies: setting('GROUNDWORK_PROXIES', v.optional(whole(0, 10))),
  /**
   * Mail server for [mails](../guides/running-locally.md#mails), `smtps://user:password@mail.example.com`; `smtp://` needs
   * STARTTLS, except on this machine. Needs `GROUNDWORK_MAIL_FROM`.
   * @defaultValue mails are lines of the log
   */
  smtp: secretSetting('GROUNDWORK_SMTP_URL', smtpUrl),
  /** Secret that a [proxy](../guides/running-locally.md#behind-a-proxy) sends in `X-Groundwork-Proxy-Secret`. */
  proxySecret: secretSetting('GROUNDWORK_PROXY_SECRET', matchingText(secretPattern, secretForm)),
  /** Socket that serves [metrics](../guides/monitoring.md) to the user of the server; no script may be able to open it. */
  metricsSocket: setting(
    'GROUNDWORK_METRICS_SOCKET',
    matchingText(/^(\/.*)?$/, 'the absolute path of a socket'),
  ),
  /** Token with which the server's own port serves [metrics](../guides/monitoring.md) at `/metrics`. */
  metricsToken: secretSetting('GROUNDWORK_METRICS_TOKEN', matchingText(secretPattern, secretForm)),
  /** File with the token for [metrics](../guides/monitoring.md), in place of the setting before. */
  metricsTokenFile: setting('GROUNDWORK_METRICS_TOKEN_FILE', anyText),
  /** Whether [metrics](../guides/monitoring.md) have the requests of the 100 busiest instances, with their names. */
  metricsInstances: setting('GROUNDWORK_METRICS_INSTANCES', choiceVariable(['no', 'yes'], 'no')),
};

const loopbackUrl = String.raw`http:\/\/(localhost|127\.0\.0\.1|\[::1\])`;
/** An address of `https`, or on this machine of `http`. */
const outside = (path: string, otherwise: string) =>
  v.pipe(
    v.optional(v.string(), otherwise),
    v.regex(
      new RegExp(String.raw`^(https:\/\/[^\s/?#@]+|${loopbackUrl}(:\d+)?)${path}$`),
      `an address such as ${otherwise}; http:// on this machine only`,
    ),
  );

/** Variables of pushes of one machine. */
export const pushSettings = {
  /**
   * Whether [pushes](../guides/push.md#on-one-machine) leave this machine: `send` to Google and Apple, or `outbox`, a
   * file.
   * @defaultValue `send` in a data folder that this release or a later one created; else `outbox`
   */
  mode: publicSetting(
    setting(
      'GROUNDWORK_PUSH_MODE',
      v.optional(v.picklist(['send', 'outbox'], 'one of send, outbox')),
    ),
    'Whether pushes are sent, or written to a file of the operator.',
  ),
  /** Address of FCM. */
  fcm: setting('GROUNDWORK_FCM_URL', outside('', 'https://fcm.googleapis.com')),
  /** Address of Google's access tokens; that in a service account is ignored. */
  googleToken: setting(
    'GROUNDWORK_GOOGLE_TOKEN_URL',
    outside(String.raw`(\/[!-~]*)?`, 'https://oauth2.googleapis.com/token'),
  ),
  /** Address of APNs for production. */
  apns: setting('GROUNDWORK_APNS_URL', outside('', 'https://api.push.apple.com')),
  /** Address of APNs for development. */
  apnsSandbox: setting(
    'GROUNDWORK_APNS_SANDBOX_URL',
    outside('', 'https://api.sandbox.push.apple.com'),
  ),
};

const httpsAddress =
  /^(https:\/\/[^\s/?#@]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?)?\/?$/;

const credential = matchingText(/^[!-~]{0,4096}$/, 'up to 4096 characters, without spaces');

/** Variables of backups elsewhere, of the server and of `groundwork backup`: docs/guides/backups.md. */
export const backupSettings = {
  /** Target of [backups](../guides/backups.md) by schedule; without it the server makes none. */
  target: setting(
    'GROUNDWORK_BACKUP_TO',
    matchingText(/^((s3:\/\/|\/).+)?$/, 's3://<bucket>/<prefix>, or the absolute path of a folder'),
  ),
  /** Times of the backups: a crontab in UTC, or an interval from 5 minutes to 31 days such as `6h`. */
  schedule: publicSetting(
    setting(
      'GROUNDWORK_BACKUP_SCHEDULE',
      v.pipe(
        v.optional(v.string(), '0 3 * * *'),
        v.check(isBackupSchedule, 'a crontab of 5 parts, or an interval such as 30m, 6h or 1d'),
      ),
    ),
    "Times of the server's own backups, in UTC: a crontab or an interval.",
  ),
  /** Number of backups, or days such as `30d`, that a target folder keeps. A bucket has [`backup prune`](../guides/backups.md#retention). */
  keep: publicSetting(
    setting(
      'GROUNDWORK_BACKUP_KEEP',
      matchingText(keepPattern, 'a number of backups from 1 to 9999, or of days such as 30d'),
    ),
    'Backups that the server keeps: a number, or days.',
    'all',
  ),
  /**
   * Public key of the operator, for which backups are encrypted, or `plain`.
   * @defaultValue for a folder `plain`; a bucket needs one
   */
  recipient: setting(
    'GROUNDWORK_BACKUP_RECIPIENT',
    matchingText(/^(age1[\da-z]{8,4000}|plain)?$/, 'a public key (age1…), or plain'),
  ),
  /**
   * Address of the S3 service; `AWS_ENDPOINT_URL_S3` if absent.
   * @defaultValue that of AWS in the region
   */
  endpoint: setting(
    'GROUNDWORK_BACKUP_ENDPOINT',
    matchingText(httpsAddress, 'an https address; http is for this machine only'),
  ),
  /** The same for all programs that use S3. */
  commonEndpoint: setting(
    'AWS_ENDPOINT_URL_S3',
    matchingText(httpsAddress, 'an https address; http is for this machine only'),
  ),
  /**
   * Region of the bucket of backups.
   * @defaultValue us-east-1
   */
  region: setting('AWS_REGION', matchingText(/^[\w-]{0,64}$/, 'the name of a region')),
  /** Id of the key for the bucket of backups. */
  accessKeyId: setting('AWS_ACCESS_KEY_ID', credential),
  /** The key for the bucket of backups. */
  secretAccessKey: secretSetting('AWS_SECRET_ACCESS_KEY', credential),
  /** Token of a temporary key for the bucket of backups. */
  sessionToken: secretSetting('AWS_SESSION_TOKEN', credential),
};

/** An option of the command line. */
export interface ServeOption extends Setting {
  /** How the usage text names its argument; absent: it has none. */
  readonly argument?: string;
  readonly doc: string;
  /** Default in words; absent: that of `value`, if any. */
  readonly otherwise?: string;
}

const flag = v.optional(v.boolean(), false);
const not = (valid: string) => (issue: { readonly input: unknown }) =>
  `${valid}, not ${JSON.stringify(issue.input)}`;

/** Options of the server's command line, by their names in it. */
export const optionSettings = {
  port: {
    argument: 'PORT',
    value: v.pipe(
      v.optional(v.string(), '3000'),
      v.check(
        (text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535,
        not('a number from 0 to 65535'),
      ),
      v.transform(Number),
    ),
    doc: 'port to listen on; 0 takes any free one',
  },
  host: {
    argument: 'HOST',
    value: v.pipe(v.optional(v.string(), '127.0.0.1'), v.nonEmpty('an address or a name')),
    doc: 'address to listen on',
    otherwise: '127.0.0.1: this machine only',
  },
  data: {
    argument: 'DIR',
    value: v.optional(v.pipe(v.string(), v.nonEmpty('a folder'))),
    doc: 'folder of all data, created if absent',
    otherwise: './.groundwork',
  },
  memory: {
    value: flag,
    doc: 'keep all data in memory; it is lost when the server stops',
  },
  registration: {
    argument: 'open|closed',
    value: v.optional(v.picklist(['open', 'closed'], not('open or closed'))),
    doc: 'whether anyone may create an account',
    otherwise:
      'open to this machine, but not to pages of other sites and through proxies, when only this machine can connect and no proxy is set up; else closed',
  },
  'proxy-socket': {
    argument: 'PATH',
    value: v.optional(v.pipe(v.string(), v.nonEmpty('a path'))),
    doc: 'also listen on a Unix socket, for a proxy that is believed where requests come from (X-Forwarded-For)',
  },
  'no-script-network': {
    value: flag,
    doc: 'scripts reach no network at all (needs bubblewrap or Landlock, so Linux; or Node 26)',
  },
  sandbox: {
    argument: 'bubblewrap|landlock|flags',
    value: v.optional(
      v.picklist(['bubblewrap', 'landlock', 'flags'], not('bubblewrap, landlock or flags')),
    ),
    doc: 'isolation of scripts; the server does not start where that does not work',
    otherwise: 'the best that works',
  },
  'weak-sandbox': {
    value: flag,
    doc: "scripts run although other machines reach the server and only Node's permission flags isolate them",
  },
  help: { value: flag, doc: 'show this' },
  version: { value: flag, doc: 'show the version' },
} satisfies SettingGroup<ServeOption>;
