import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import * as v from 'valibot';
import { readSettings } from '../shared/platforms/aws/environment.ts';
import type { Variables } from '../shared/ports/setting-variables.ts';
import { unknownSetting, unknownVariables } from '../shared/ports/unknown-variables.ts';

/** Concurrent executions of an account that is not new. */
export const usualQuota = 1000;

/** Settings that reserve concurrency for functions, with their shares of the quota of an account. */
const shares = {
  runConcurrency: 0.15,
  endpointConcurrency: 0.2,
  pollConcurrency: 0.1,
  backgroundConcurrency: 0.05,
} as const;

/** Executions reserved for functions, which are also their limits; undefined: they share those of the account. */
type Reservations = Readonly<Record<keyof typeof shares, number | undefined>>;

const leastUnreserved = 100; // Lambda accepts no reservation beyond
/** Shares of a lower quota would be limits that a few callers reach. */
const leastQuota = 200;

/** Settings of a deployment, from `-c name=value`, `cdk.json` or `cdk.context.json`. */
export interface DeploymentSettings {
  /** Distinguishes deployments in one account. */
  readonly stage: string;
  /** Settings of the functions, as environment variables; absent ones have defaults. */
  readonly variables: Readonly<Record<string, string>>;
  /** True when the data are retained after the stack is deleted. */
  readonly keepData: boolean;
  /** Requests per second that the gateway accepts in the long term. */
  readonly rateLimit: number;
  /** Maximum number of requests in a burst. */
  readonly burstLimit: number;
  readonly logRetentionDays: number;
  /** True when the gateway logs each request too, also those that reach no function. */
  readonly accessLog: boolean;
  /** True when requests have metrics by family too, which are charged. */
  readonly familyMetrics: boolean;
  readonly reservations: Reservations;
  /** The account's quota of concurrent executions, of which an alarm watches a share. */
  readonly concurrency: number | undefined;
  /** Address to which alarms are mailed. */
  readonly alarmEmail?: string | undefined;
  /** ARN of an existing topic that alarms notify. */
  readonly alarmTopic?: string | undefined;
  /** True when a key of KMS encrypts credentials of push providers; else a key derived from the master secret does. */
  readonly kmsKey: boolean;
  /** True when the table rejects deletion, also that of a failed first deployment. */
  readonly protectTable: boolean;
  /** True when a CDN serves the files; false: S3 itself, by signed addresses. */
  readonly cdn: boolean;
  /** True when functions send traces to X-Ray. */
  readonly tracing: boolean;
  /** Host name of the interface, with the ARN of its certificate; undefined: a name of AWS. */
  readonly domain: { readonly name: string; readonly certificateArn: string } | undefined;
  /** ARN of a web ACL for CloudFront, which is then in front of the interface; undefined: none. */
  readonly webAclArn: string | undefined;
  /** Folder with a set of Python packages for all scripts; absent: none. */
  readonly pythonPackages?: string | undefined;
  readonly adopted: AdoptedResources;
}

/** Resources with data that exist: the stack uses each of them and creates no other. */
export interface AdoptedResources {
  readonly table?: { readonly tableArn: string; readonly tableStreamArn: string };
  readonly secretArn?: string;
  /** Name of the bucket of files. */
  readonly bucket?: string;
  /** ARN of the key that encrypts credentials of push providers. */
  readonly keyArn?: string;
}

const variableNames = {
  log: 'GROUNDWORK_LOG',
  registration: 'GROUNDWORK_REGISTRATION',
  maxInstances: 'GROUNDWORK_MAX_INSTANCES',
  maxClasses: 'GROUNDWORK_MAX_CLASSES',
  location: 'GROUNDWORK_LOCATION',
  passwordCost: 'GROUNDWORK_PASSWORD_COST',
  instanceRate: 'GROUNDWORK_INSTANCE_RATE',
  pollSeconds: 'GROUNDWORK_POLL_SECONDS',
  scriptMemory: 'GROUNDWORK_SCRIPT_MEMORY',
  maxObjectBytes: 'GROUNDWORK_MAX_OBJECT_BYTES',
  maxFileBytes: 'GROUNDWORK_MAX_FILE_BYTES',
  maxTraceBytes: 'GROUNDWORK_MAX_TRACE_BYTES',
  maxBackupBytes: 'GROUNDWORK_MAX_BACKUP_BYTES',
  waitingRuns: 'GROUNDWORK_WAITING_RUNS',
  mailFrom: 'GROUNDWORK_MAIL_FROM',
  googleClientId: 'GROUNDWORK_GOOGLE_CLIENT_ID',
} as const;

const wholeNumber = (max: number, otherwise: number) =>
  v.optional(
    v.pipe(
      v.union([v.string(), v.number()]),
      v.transform(Number),
      v.integer('a whole number'),
      v.minValue(1, 'at least 1'),
      v.maxValue(max, `at most ${max}`),
    ),
    otherwise,
  );

const flag = (otherwise: boolean) =>
  v.pipe(
    v.optional(v.union([v.boolean(), v.picklist(['true', 'false'])], 'true or false'), otherwise),
    v.transform((value) => String(value) === 'true'),
  );

const arnOf = (service: string, place: string, what: string) =>
  v.optional(
    v.pipe(
      v.string(what),
      v.regex(new RegExp(`^arn:aws[a-z-]*:${service}:${place}:\\d{12}:\\S+$`), what),
    ),
  );

const schema = v.object({
  stage: v.optional(
    v.pipe(
      v.string('a name'),
      v.regex(/^[a-z][a-z0-9-]{0,19}$/, 'up to 20 of a-z, 0-9 and -, a letter first'),
      // roles of `prod` may use `groundwork-prod-scr-*`, so functions of other stages must not have such names
      v.regex(/^(?!.*-scr(-|$))/, 'no -scr in it'),
    ),
    'prod',
  ),
  keepData: flag(true),
  protectTable: flag(false),
  kmsKey: flag(false),
  cdn: flag(true),
  tracing: flag(false),
  accessLog: flag(false),
  familyMetrics: flag(false),
  domain: v.optional(
    v.pipe(
      v.string('a host name'),
      v.regex(/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, 'a host name'),
    ),
  ),
  certificateArn: arnOf('acm', '[a-z0-9-]+', 'the ARN of a certificate'),
  webAclArn: arnOf('wafv2', 'us-east-1', 'the ARN of a web ACL for CloudFront, in us-east-1'),
  tableArn: arnOf('dynamodb', '[a-z0-9-]+', 'the ARN of a table'),
  tableStreamArn: arnOf('dynamodb', '[a-z0-9-]+', 'the ARN of the stream of a table'),
  secretArn: arnOf('secretsmanager', '[a-z0-9-]+', 'the ARN of a secret'),
  bucket: v.optional(
    v.pipe(v.string('a bucket'), v.regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'a bucket')),
  ),
  keyArn: arnOf('kms', '[a-z0-9-]+', 'the ARN of a key'),
  pythonPackages: v.optional(v.pipe(v.string('a folder'), v.nonEmpty('a folder'))),
  rateLimit: wholeNumber(10_000, 1000),
  burstLimit: wholeNumber(5000, 500),
  logRetentionDays: v.pipe(
    wholeNumber(3653, 30),
    v.check((days) => days in RetentionDays, 'a number of days that CloudWatch Logs takes'),
  ),
  concurrency: v.optional(wholeNumber(100_000, 1)),
  runConcurrency: v.optional(wholeNumber(10_000, 1)),
  endpointConcurrency: v.optional(wholeNumber(10_000, 1)),
  pollConcurrency: v.optional(wholeNumber(10_000, 1)),
  backgroundConcurrency: v.optional(wholeNumber(10_000, 1)),
  alarmEmail: v.optional(v.pipe(v.string('an address'), v.email('an address'))),
  alarmTopic: v.optional(
    v.pipe(
      v.string('an ARN'),
      v.regex(/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/, 'the ARN of a topic'),
    ),
  ),
});

/**
 * Reads the settings of a deployment from the context of the app.
 *
 * @throws Error that names the setting and its valid values
 */
export function readDeploymentSettings(node: Pick<Node, 'tryGetContext'>): DeploymentSettings {
  const given = (name: string): unknown => node.tryGetContext(name) ?? undefined;
  const names = Object.keys(schema.entries);
  const parsed = v.safeParse(schema, Object.fromEntries(names.map((name) => [name, given(name)])));
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new Error(`-c ${v.getDotPath(issue)} takes ${issue.message}`);
  }
  const { domain: name, certificateArn, webAclArn, ...others } = parsed.output;
  const { tableArn, tableStreamArn, secretArn, bucket, keyArn, ...output } = others;
  const adopted = {
    ...adoptTable(tableArn, tableStreamArn),
    ...(secretArn !== undefined && { secretArn }),
    ...(bucket !== undefined && { bucket }),
    ...(keyArn !== undefined && { keyArn }),
  };
  if ((name === undefined) !== (certificateArn === undefined)) {
    throw new Error('-c domain and -c certificateArn need each other');
  }
  const inVirginia = certificateArn?.includes(':us-east-1:') ?? true;
  if (webAclArn !== undefined && !inVirginia) {
    throw new Error('-c certificateArn takes a certificate in us-east-1 where webAclArn is set');
  }
  const { concurrency } = output;
  const reservations = reserveConcurrency(concurrency, output);
  const { pollConcurrency } = reservations;
  const slots = pollConcurrency && { GROUNDWORK_POLL_SLOTS: String(pollConcurrency) };
  const variables = { ...readVariables(given), ...slots };
  const domain = name && certificateArn ? { name, certificateArn } : undefined;
  return { ...output, concurrency, webAclArn, domain, adopted, reservations, variables };
}

/**
 * Returns a warning for each name of the context that looks like a setting and is none, and for each variable of the
 * environment that looks like one: settings of a deployment are not read from there.
 *
 * @param commandNames variables of the command line `groundwork`
 */
export function describeIgnored(
  context: Readonly<Record<string, unknown>>,
  variables: Variables,
  commandNames: readonly string[],
): readonly string[] {
  const known = [...Object.keys(schema.entries), ...Object.keys(variableNames)];
  const names = Object.keys(context).filter((name) => /^[a-z]+$/i.test(name)); // others are of the CDK
  const unknown = names.filter((name) => !known.includes(name));
  return [
    ...unknown.map((name) => `-c ${unknownSetting(name, known)}`),
    ...unknownVariables(variables, commandNames).map(
      (name) => `${name} has no effect: ${advice(name)}`,
    ),
  ];
}

function advice(variable: string): string {
  const [name] = Object.entries(variableNames).find(([, each]) => each === variable) ?? [];
  return name === undefined ? 'a deployment has no such setting' : `use -c ${name}=…`;
}

/** A restored table has no stream until one is enabled, whose ARN contains the time of that. */
function adoptTable(
  tableArn: string | undefined,
  tableStreamArn: string | undefined,
): Pick<AdoptedResources, 'table'> {
  if (tableArn === undefined && tableStreamArn === undefined) return {};
  if (tableArn === undefined || tableStreamArn === undefined) {
    throw new Error('-c tableArn and -c tableStreamArn need each other');
  }
  if (!tableStreamArn.startsWith(`${tableArn}/stream/`)) {
    throw new Error('-c tableStreamArn takes the ARN of the stream of the table');
  }
  return { table: { tableArn, tableStreamArn } };
}

function readVariables(given: (name: string) => unknown): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, variable] of Object.entries(variableNames)) {
    const value = given(name);
    if (value !== undefined) variables[variable] = String(value);
  }
  readSettings(variables); // fails now instead of at the first request
  return variables;
}

/**
 * Computes reservations: those that are given, and shares of the account's quota for the others if it allows them. Half
 * of it stays unreserved: functions of scripts need one execution for each run, and requests need the rest.
 *
 * @param quota concurrent executions of the account; undefined: nothing is computed or checked
 * @throws Error when fewer than 100 executions would stay unreserved
 */
function reserveConcurrency(quota: number | undefined, given: Partial<Reservations>): Reservations {
  const share = (name: keyof typeof shares) =>
    given[name] ??
    (quota === undefined || quota < leastQuota ? undefined : Math.floor(quota * shares[name]));
  const reservations: Reservations = {
    runConcurrency: share('runConcurrency'),
    endpointConcurrency: share('endpointConcurrency'),
    pollConcurrency: share('pollConcurrency'),
    backgroundConcurrency: share('backgroundConcurrency'),
  };
  const sum = Object.values(reservations).reduce<number>((total, count = 0) => total + count, 0);
  if (quota !== undefined && sum > 0 && sum > quota - leastUnreserved) {
    throw new Error(
      `-c concurrency=${quota} leaves fewer than 100 executions beside ${sum} reserved`,
    );
  }
  return reservations;
}

/**
 * Returns the policy for resources with data: they outlive the stack and its updates. A first deployment that fails
 * deletes them, because they are still empty.
 */
export function removalPolicyOf(keepData: boolean): RemovalPolicy {
  return keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
