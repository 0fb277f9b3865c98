import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';

const count = (max: number) =>
  v.pipe(
    v.union([v.string(), v.number()]),
    v.transform(Number),
    v.integer('a whole number'),
    v.minValue(1, 'at least 1'),
    v.maxValue(max, `at most ${max}`),
  );

const flag = (otherwise: boolean) =>
  v.pipe(
    v.optional(v.union([v.boolean(), v.picklist(['true', 'false'])], 'true or false'), otherwise),
    v.transform((value) => String(value) === 'true'),
  );

const matching = (what: string, pattern: RegExp) =>
  v.optional(v.pipe(v.string(what), v.regex(pattern, what)));

const arnOf = (service: string, place: string, what: string) =>
  matching(what, new RegExp(`^arn:aws[a-z-]*:${service}:${place}:\\d{12}:\\S+$`));

const hostName = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

/** Settings of the stack, by their names for `-c`. */
export const contextSettings = {
  /** Names the stack, `Groundwork-prod`: several deployments fit into one account. Without `-scr`. */
  stage: {
    value: v.optional(
      v.pipe(
        v.string('a name'),
        v.regex(/^[a-z][a-z0-9-]{0,19}$/, 'up to 20 of a-z, 0-9 and -, a letter first'),
        // roles of `prod` may use `groundwork-prod-scr-*`, so functions of other stages must not have such names
        v.regex(/^(?!.*-scr(-|$))/, 'no -scr in it'),
      ),
      'prod',
    ),
  },
  /** `false`: the table, the secret, the key and, once you have emptied it, the bucket are deleted with the stack. */
  keepData: { value: flag(true) },
  /**
   * `true`: the table cannot be deleted before this protection is removed, which `npm run remove` does after you
   * have confirmed it. Set it when the first deployment has succeeded.
   */
  protectTable: { value: flag(false) },
  /**
   * `true`: [push credentials](../guides/push.md#credentials) are encrypted by a key of KMS, for 1.00 USD a month,
   * else under the master secret. [A stack that has a key](../guides/deploying.md#the-key-of-push-credentials)
   * must keep it.
   */
  kmsKey: { value: flag(false) },
  /** `false`: files [without CloudFront](../guides/deploying.md#files-without-a-cdn). */
  cdn: { value: flag(true) },
  /** `true`: the functions send traces to X-Ray, which has a price for each. */
  tracing: { value: flag(false) },
  /**
   * `true`: the gateway logs each request as well, without its path and query. It is charged, and shows what no
   * function has seen: requests beyond the limits, and functions that could not be invoked. Its 5xx are in the
   * [alarms](../guides/operate.md#alarms) without it.
   */
  accessLog: { value: flag(false) },
  /** `true`: requests have [metrics by family](../guides/alarms.md#by-family) too, which are charged. */
  familyMetrics: { value: flag(false) },
  /** Host name of the interface: [a domain of your own](../guides/deploying.md#a-domain-of-your-own). */
  domain: { value: matching('a host name', hostName) },
  /** Certificate of `domain`. */
  certificateArn: { value: arnOf('acm', '[a-z0-9-]+', 'the ARN of a certificate') },
  /** Filters [requests](../guides/deploying.md#web-acl) by AWS WAF. */
  webAclArn: {
    value: arnOf('wafv2', 'us-east-1', 'the ARN of a web ACL for CloudFront, in us-east-1'),
  },
  /** Existing table in place of a new one: [adopting resources](../guides/deploying.md#adopting-resources). */
  tableArn: { value: arnOf('dynamodb', '[a-z0-9-]+', 'the ARN of a table') },
  /** Stream of the table of `tableArn`. */
  tableStreamArn: { value: arnOf('dynamodb', '[a-z0-9-]+', 'the ARN of the stream of a table') },
  /** Existing master secret in place of a new one: [adopting resources](../guides/deploying.md#adopting-resources). */
  secretArn: { value: arnOf('secretsmanager', '[a-z0-9-]+', 'the ARN of a secret') },
  /**
   * Existing bucket of files in place of a new one: [adopting
   * resources](../guides/deploying.md#adopting-resources).
   */
  bucket: { value: matching('a bucket', /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/) },
  /**
   * Existing key of push credentials in place of a new one: [adopting
   * resources](../guides/deploying.md#adopting-resources).
   */
  keyArn: { value: arnOf('kms', '[a-z0-9-]+', 'the ARN of a key') },
  /**
   * Folder with a set of [Python packages](../guides/scripts.md#python-packages) that every Python script may
   * import.
   */
  pythonPackages: { value: v.optional(v.pipe(v.string('a folder'), v.nonEmpty('a folder'))) },
  /** Requests per second, in the long term; the gateway responds to further ones with 429. */
  rateLimit: { value: v.optional(count(10_000), 1000) },
  /** Requests in a burst; the gateway responds to further ones with 429. */
  burstLimit: { value: v.optional(count(5000), 500) },
  /** Days that logs are kept: 1, 3, 5, 7, 14, 30, 60, 90, … */
  logRetentionDays: {
    value: v.pipe(
      v.optional(count(3653), 30),
      v.check((days) => days in RetentionDays, 'a number of days that CloudWatch Logs takes'),
    ),
  },
  /**
   * Your account's quota of concurrent executions; from 200 on, shares of it are
   * [reserved](../guides/deploying.md#concurrency). An alarm watches 80 % of it, or of 1,000.
   */
  concurrency: { value: v.optional(count(100_000)) },
  /** Executions [reserved](../guides/deploying.md#concurrency) for direct runs. */
  runConcurrency: { value: v.optional(count(10_000)) },
  /** Executions [reserved](../guides/deploying.md#concurrency) for requests to script endpoints. */
  endpointConcurrency: { value: v.optional(count(10_000)) },
  /**
   * Executions [reserved](../guides/deploying.md#concurrency) for polls; polls [wait for less](channels.md#on-aws)
   * when most of them are taken.
   * @defaultValue 100 may wait, from the concurrency of the AWS account
   */
  pollConcurrency: { value: v.optional(count(10_000)) },
  /** Executions [reserved](../guides/deploying.md#concurrency) for the background. */
  backgroundConcurrency: { value: v.optional(count(10_000)) },
  /** Recipient of [alarms](../guides/operate.md#alarms). */
  alarmEmail: { value: v.optional(v.pipe(v.string('an address'), v.email('an address'))) },
  /** SNS topic that [alarms](../guides/operate.md#alarms) notify. */
  alarmTopic: { value: matching('the ARN of a topic', /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/) },
};
