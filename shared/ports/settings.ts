import * as v from 'valibot';
import { isHostEntry } from './egress/host-entry.ts';
import {
  choiceVariable,
  orUndefined,
  publicSetting,
  setting,
  whole,
  wholeNumber,
} from './setting-variables.ts';

const inMs = v.pipe(
  whole(1, 300),
  v.transform((seconds) => seconds * 1000),
);
const sender = /^([^<>@]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)?$/;
const bytes = v.optional(whole(0, Number.MAX_SAFE_INTEGER));

const hosts = v.optional(
  v.pipe(
    v.string(),
    v.transform((text) => text.split(',').map((entry) => entry.trim().toLowerCase())),
    v.transform((entries) => entries.filter((entry) => entry !== '')),
    v.everyItem(isHostEntry, 'names of hosts, or host:port, separated by commas'),
  ),
);
const mails = v.optional(whole(0, 10_000_000));

/** Settings of an operator on each platform. Those of one platform are declared in its `settings.ts`. */
export const commonSettings = {
  /** Least level of log lines; `info` has a line for each request. */
  logLevel: setting('GROUNDWORK_LOG', choiceVariable(['error', 'info', 'debug'], 'info'), 'log'),
  /**
   * [Request log](request-log.md) of each instance. On AWS it needs `GROUNDWORK_LOG` to be `info` or `debug`: it is read
   * from those lines.
   */
  requestLog: publicSetting(
    setting('GROUNDWORK_REQUEST_LOG', choiceVariable(['on', 'off'], 'on'), 'requestLog'),
    'Whether each instance has a log of its requests.',
  ),
  /** Instances that one account may own. */
  maxInstances: publicSetting(
    setting('GROUNDWORK_MAX_INSTANCES', wholeNumber(1, 100_000, 16), 'maxInstances'),
    'Instances that one account may own.',
  ),
  /** Classes in one instance, including `user_profile`. */
  maxClasses: publicSetting(
    setting('GROUNDWORK_MAX_CLASSES', wholeNumber(1, 10_000, 100), 'maxClasses'),
    'Classes in one instance.',
  ),
  /** Shown as `location` of instances. */
  location: setting('GROUNDWORK_LOCATION', v.optional(v.string(), 'eu1'), 'location'),
  /** CPU cost of a password's hash: the power of two of scrypt's N. */
  passwordCost: setting('GROUNDWORK_PASSWORD_COST', wholeNumber(10, 20, 15), 'passwordCost'),
  /** Least characters of a new password of an account or a user. @defaultValue 1; the console asks for 8 */
  passwordMin: publicSetting(
    setting('GROUNDWORK_PASSWORD_MIN', v.optional(whole(1, 128)), 'passwordMin'),
    'Shortest new password, in characters.',
    '1; the console asks for 8',
  ),
  /**
   * Requests per second in one instance; [further requests](../guides/usage.md#too-many-calls) get 429. On AWS it
   * applies to each process of a function: it stops a runaway loop, and is not a limit for the instance.
   * @defaultValue no limit
   */
  instanceRate: publicSetting(
    setting('GROUNDWORK_INSTANCE_RATE', v.optional(whole(60, 1_000_000)), 'instanceRate'),
    'Requests to one instance in a second; further ones get 429.',
    'no limit',
  ), // a batch has 50 requests
  /**
   * Longest poll or stream of [channels](../guides/channels.md#behind-a-proxy), in seconds; on AWS at most 25.
   * @defaultValue polls 300, on AWS 25; streams without limit
   */
  pollMs: setting('GROUNDWORK_POLL_SECONDS', v.optional(inMs), 'pollSeconds'),
  /** Bytes of data objects that one instance may [store](../guides/usage.md#storage-quotas). @defaultValue no limit */
  maxObjectBytes: publicSetting(
    setting('GROUNDWORK_MAX_OBJECT_BYTES', bytes, 'maxObjectBytes'),
    'Bytes of objects in one instance.',
    'no limit',
  ),
  /** Bytes of files that one instance may [store](../guides/usage.md#storage-quotas). @defaultValue no limit */
  maxFileBytes: publicSetting(
    setting('GROUNDWORK_MAX_FILE_BYTES', bytes, 'maxFileBytes'),
    'Bytes of files in one instance.',
    'no limit',
  ),
  /**
   * Bytes of traces that one instance may [store](../guides/usage.md#storage-quotas) in 24 hours.
   * @defaultValue no limit
   */
  maxTraceBytes: publicSetting(
    setting('GROUNDWORK_MAX_TRACE_BYTES', bytes, 'maxTraceBytes'),
    'Bytes of traces in one instance in 24 hours.',
    'no limit',
  ),
  /**
   * Sender of mails, `no-reply@example.com` or `"Us <no-reply@example.com>"`: on [one machine](../guides/running-locally.md#mails)
   * together with `GROUNDWORK_SMTP_URL`, [on AWS](../guides/deploying.md#mails) alone.
   * @defaultValue mails are lines of the log
   */
  mailFrom: setting(
    'GROUNDWORK_MAIL_FROM',
    v.pipe(
      v.optional(v.string(), ''),
      v.trim(),
      v.regex(sender, 'an address, or a name and <an address>'),
      orUndefined,
    ),
    'mailFrom',
  ),
  /**
   * Hosts that [requests to addresses of instances](limits.md#requests-to-other-servers) may be sent to although they have private
   * addresses, no TLS or another port: `idp.internal` (ports 443, and 80 without TLS) or `idp.internal:8443`, separated
   * by commas.
   * @defaultValue public addresses only, with TLS at port 443
   */
  egressAllow: setting('GROUNDWORK_EGRESS_ALLOW', hosts, 'egressAllow'),
  /** Whether instances may send [mails to their users](user-accounts.md#mails): `on` or `off`. @defaultValue off */
  userMail: publicSetting(
    setting(
      'GROUNDWORK_USER_MAIL',
      v.optional(v.picklist(['off', 'on'], 'one of off, on')),
      'userMail',
    ),
    'Whether instances may send mails to their users.',
    'off',
  ),
  /** [Mails to users](user-accounts.md#limits-of-mails) of one instance in a day (UTC). @defaultValue 200 */
  userMailPerDay: publicSetting(
    setting('GROUNDWORK_USER_MAIL_PER_DAY', mails, 'userMailPerDay'),
    'Mails to users of one instance in a day.',
    '200',
  ),
  /** [Mails to users](user-accounts.md#limits-of-mails) of all instances in a day (UTC). @defaultValue 2000 */
  userMailTotalPerDay: setting('GROUNDWORK_USER_MAIL_TOTAL_PER_DAY', mails, 'userMailTotalPerDay'),
  /** Bytes of the [backups](backups.md#limits) of one account. @defaultValue 10737418240 */
  maxBackupBytes: publicSetting(
    setting('GROUNDWORK_MAX_BACKUP_BYTES', bytes, 'maxBackupBytes'),
    'Bytes of backups of one account.',
    '10737418240',
  ),
};
