import * as v from 'valibot';
import type { SocialConfiguration } from '../../accounts/social.ts';
import { socialVariables } from '../../accounts/social-variables.ts';
import {
  parseVariables,
  pollMsOf,
  processVariables,
  settingVariables,
  type Variables,
  whole,
} from '../../ports/setting-variables.ts';
import type { LogOptions } from './log/log.ts';
import { availableBytes, planMemory } from './memory.ts';
import { StartError } from './server/start-error.ts';

const megabyte = 2 ** 20;

/** Settings of one machine, from its environment. */
export interface Environment {
  readonly logging: Omit<LogOptions, 'write'>;
  /** Address at which clients reach the server, without a slash at the end; undefined: the one it listens on. */
  readonly url: string | undefined;
  /** Proxies that a request passes, each of which adds its sender to `X-Forwarded-For`; undefined: not set. */
  readonly proxies: number | undefined;
  /** Secret by which proxies authenticate; undefined: none. */
  readonly proxySecret: string | undefined;
  /** Instances that one account may own. */
  readonly maxInstances: number;
  /** Classes in one instance, including `user_profile`. */
  readonly maxClasses: number;
  /** Label of the location of the server. */
  readonly location: string;
  /** CPU cost of a password hash, as the power of two of scrypt's N. */
  readonly passwordCost: number;
  /** Requests per second that one instance accepts; undefined: unlimited. */
  readonly instanceRate: number | undefined;
  /** Longest wait of a poll, in milliseconds; undefined: not limited by the operator. */
  readonly pollMs: number | undefined;
  /** Bytes of data objects in one instance; undefined: unlimited. */
  readonly maxObjectBytes: number | undefined;
  /** Bytes of files in one instance; undefined: unlimited. */
  readonly maxFileBytes: number | undefined;
  /** Bytes of traces that one instance writes in 24 hours; undefined: unlimited. */
  readonly maxTraceBytes: number | undefined;
  /** Bytes of the backups of one account; undefined: the default. */
  readonly maxBackupBytes: number | undefined;
  /** Approximate heap for recently used items of the store. */
  readonly cacheBytes: number;
  /** Growth of the heap above what is in use. */
  readonly heapGrowingPercent: number;
  /** Memory of all child processes together. */
  readonly childBytes: number;
  /** Folder with a set of Python packages, where the data folder has none; undefined: none. */
  readonly packages: string | undefined;
  /** Client ids and secrets of the services for social log-in. */
  readonly social: SocialConfiguration;
}

const schema = v.object({
  ...settingVariables,
  GROUNDWORK_URL: v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => text.replace(/\/$/, '')),
      v.regex(/^(https?:\/\/[^\s/?#]+)?$/, 'an address such as https://api.example.com'),
    ),
    '',
  ),
  GROUNDWORK_LOG_FORMAT: v.optional(v.picklist(['text', 'json'], 'one of text, json')),
  GROUNDWORK_MEMORY_MB: v.optional(whole(512, 16_777_216)), // with less, scripts have too little
  GROUNDWORK_CACHE_MB: v.optional(whole(8, 65_536)),
  GROUNDWORK_PYTHON_PACKAGES: v.optional(
    v.pipe(v.string(), v.regex(/^(\/.*)?$/, 'the absolute path of a folder')),
    '',
  ),
  GROUNDWORK_PROXIES: v.optional(whole(0, 10)),
  GROUNDWORK_PROXY_SECRET: v.optional(
    v.pipe(v.string(), v.regex(/^([!-~]{32,256})?$/, '32 to 256 characters, without spaces')),
    '',
  ),
});

/** Names of the variables that {@link readEnvironment} reads. */
export const environmentNames: readonly string[] = [
  ...Object.keys(schema.entries),
  ...Object.keys(socialVariables.entries),
];

/**
 * Reads the settings of one machine from the environment; each has a default.
 *
 * @param variables those of the process when absent
 * @throws StartError that names the variable and its valid values
 */
export function readEnvironment(variables: Variables = processVariables()): Environment {
  const output = parseVariables(schema, variables, StartError);
  return {
    logging: { level: output.GROUNDWORK_LOG, format: output.GROUNDWORK_LOG_FORMAT },
    url: output.GROUNDWORK_URL || undefined,
    proxies: output.GROUNDWORK_PROXIES,
    proxySecret: output.GROUNDWORK_PROXY_SECRET || undefined,
    maxInstances: output.GROUNDWORK_MAX_INSTANCES,
    maxClasses: output.GROUNDWORK_MAX_CLASSES,
    location: output.GROUNDWORK_LOCATION,
    passwordCost: output.GROUNDWORK_PASSWORD_COST,
    instanceRate: output.GROUNDWORK_INSTANCE_RATE,
    pollMs: pollMsOf(output.GROUNDWORK_POLL_SECONDS),
    maxObjectBytes: output.GROUNDWORK_MAX_OBJECT_BYTES,
    maxFileBytes: output.GROUNDWORK_MAX_FILE_BYTES,
    maxTraceBytes: output.GROUNDWORK_MAX_TRACE_BYTES,
    maxBackupBytes: output.GROUNDWORK_MAX_BACKUP_BYTES,
    ...memoryOf(output.GROUNDWORK_MEMORY_MB, output.GROUNDWORK_CACHE_MB),
    packages: output.GROUNDWORK_PYTHON_PACKAGES || undefined,
    social: parseVariables(socialVariables, variables, StartError),
  };
}

function memoryOf(totalMegabytes: number | undefined, cacheMegabytes: number | undefined) {
  const plan = planMemory(availableBytes(totalMegabytes && totalMegabytes * megabyte));
  return cacheMegabytes === undefined ? plan : { ...plan, cacheBytes: cacheMegabytes * megabyte };
}
