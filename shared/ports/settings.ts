import * as v from 'valibot';
import { choice, type SettingGroup, whole, wholeNumber } from './setting-variables.ts';

const unlimited = 'no limit';
const bytes = v.optional(whole(0, Number.MAX_SAFE_INTEGER));

/** Settings of an operator on each platform. Those of one platform are declared in its `settings.ts`. */
export const commonSettings = {
  logLevel: {
    variable: 'GROUNDWORK_LOG',
    context: 'log',
    value: choice(['error', 'info', 'debug'], 'info'),
    doc: 'least level of log lines; `info` has a line for each request',
  },
  maxInstances: {
    variable: 'GROUNDWORK_MAX_INSTANCES',
    context: 'maxInstances',
    value: wholeNumber(1, 100_000, 16),
    doc: 'instances that one account may own',
  },
  maxClasses: {
    variable: 'GROUNDWORK_MAX_CLASSES',
    context: 'maxClasses',
    value: wholeNumber(1, 10_000, 100),
    doc: 'classes in one instance, including `user_profile`',
  },
  location: {
    variable: 'GROUNDWORK_LOCATION',
    context: 'location',
    value: v.optional(v.string(), 'eu1'),
    doc: 'shown as `location` of instances',
  },
  passwordCost: {
    variable: 'GROUNDWORK_PASSWORD_COST',
    context: 'passwordCost',
    value: wholeNumber(10, 20, 15),
    doc: "CPU cost of a password's hash: the power of two of scrypt's N",
  },
  instanceRate: {
    variable: 'GROUNDWORK_INSTANCE_RATE',
    context: 'instanceRate',
    value: v.optional(whole(60, 1_000_000)), // a batch has 50 requests
    doc: 'requests per second in one instance; [further requests](../guides/usage.md#too-many-calls) get 429. On AWS it applies to each process of a function: it stops a runaway loop, and is not a limit for the instance',
    otherwise: unlimited,
  },
  pollMs: {
    variable: 'GROUNDWORK_POLL_SECONDS',
    context: 'pollSeconds',
    value: v.optional(
      v.pipe(
        whole(1, 300),
        v.transform((seconds) => seconds * 1000),
      ),
    ),
    doc: 'longest poll or stream of [channels](../guides/channels.md#behind-a-proxy), in seconds; on AWS at most 25',
    otherwise: 'polls 300, on AWS 25; streams without limit',
  },
  maxObjectBytes: {
    variable: 'GROUNDWORK_MAX_OBJECT_BYTES',
    context: 'maxObjectBytes',
    value: bytes,
    doc: 'bytes of data objects that one instance may [store](../guides/usage.md#storage-quotas)',
    otherwise: unlimited,
  },
  maxFileBytes: {
    variable: 'GROUNDWORK_MAX_FILE_BYTES',
    context: 'maxFileBytes',
    value: bytes,
    doc: 'bytes of files that one instance may [store](../guides/usage.md#storage-quotas)',
    otherwise: unlimited,
  },
  maxTraceBytes: {
    variable: 'GROUNDWORK_MAX_TRACE_BYTES',
    context: 'maxTraceBytes',
    value: bytes,
    doc: 'bytes of traces that one instance may [store](../guides/usage.md#storage-quotas) in 24 hours',
    otherwise: unlimited,
  },
  maxBackupBytes: {
    variable: 'GROUNDWORK_MAX_BACKUP_BYTES',
    context: 'maxBackupBytes',
    value: bytes,
    doc: 'bytes of the [backups](backups.md#limits) of one account',
    otherwise: '10737418240',
  },
} satisfies SettingGroup;
