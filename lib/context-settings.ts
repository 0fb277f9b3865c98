import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import type { Setting, SettingGroup } from '../shared/ports/setting-variables.ts';

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

const reserved = 'executions [reserved](../guides/deploying.md#concurrency) for';
const adopted = 'in place of a new one: [adopting resources](../guides/deploying.md#adopting-resources)';

/** Settings of the stack, by their names for `-c`. */
export const contextSettings = {
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
    doc: 'names the stack, `Groundwork-prod`: several deployments fit into one account. Without `-scr`',
  },
  keepData: {
    value: flag(true),
    doc: '`false`: the table, the secret, the key and, once you have emptied it, the bucket are deleted with the stack',
  },
  protectTable: {
    value: flag(false),
    doc: '`true`: the table cannot be deleted before this protection is removed, which `npm run remove` does after you have confirmed it. Set it when the first deployment has succeeded',
  },
  kmsKey: {
    value: flag(false),
    doc: '`true`: [push credentials](../guides/push.md#credentials) are encrypted by a key of KMS, for 1.00 USD a month, else under the master secret. [A stack that has a key](../guides/deploying.md#the-key-of-push-credentials) must keep it',
  },
  cdn: {
    value: flag(true),
    doc: '`false`: files [without CloudFront](../guides/deploying.md#files-without-a-cdn)',
  },
  tracing: {
    value: flag(false),
    doc: '`true`: the functions send traces to X-Ray, which has a price for each',
  },
  accessLog: {
    value: flag(false),
    doc: '`true`: the gateway logs each request as well, without its path and query. It is charged, and shows what no function has seen: requests beyond the limits, and functions that could not be invoked. Its 5xx are in the [alarms](../guides/operate.md#alarms) without it',
  },
  familyMetrics: {
    value: flag(false),
    doc: '`true`: requests have [metrics by family](../guides/alarms.md#by-family) too, which are charged',
  },
  domain: {
    value: matching(
      'a host name',
      /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    ),
    doc: 'host name of the interface: [a domain of your own](../guides/deploying.md#a-domain-of-your-own)',
  },
  certificateArn: {
    value: arnOf('acm', '[a-z0-9-]+', 'the ARN of a certificate'),
    doc: 'certificate of `domain`',
  },
  webAclArn: {
    value: arnOf('wafv2', 'us-east-1', 'the ARN of a web ACL for CloudFront, in us-east-1'),
    doc: '[requests are filtered](../guides/deploying.md#web-acl) by AWS WAF',
  },
  tableArn: {
    value: arnOf('dynamodb', '[a-z0-9-]+', 'the ARN of a table'),
    doc: `existing table ${adopted}`,
  },
  tableStreamArn: {
    value: arnOf('dynamodb', '[a-z0-9-]+', 'the ARN of the stream of a table'),
    doc: 'stream of the table of `tableArn`',
  },
  secretArn: {
    value: arnOf('secretsmanager', '[a-z0-9-]+', 'the ARN of a secret'),
    doc: `existing master secret ${adopted}`,
  },
  bucket: {
    value: matching('a bucket', /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
    doc: `existing bucket of files ${adopted}`,
  },
  keyArn: {
    value: arnOf('kms', '[a-z0-9-]+', 'the ARN of a key'),
    doc: `existing key of push credentials ${adopted}`,
  },
  pythonPackages: {
    value: v.optional(v.pipe(v.string('a folder'), v.nonEmpty('a folder'))),
    doc: 'folder with a set of [Python packages](../guides/scripts.md#python-packages) that every Python script may import',
  },
  rateLimit: {
    value: v.optional(count(10_000), 1000),
    doc: 'requests per second, in the long term; the gateway responds to further ones with 429',
  },
  burstLimit: {
    value: v.optional(count(5000), 500),
    doc: 'requests in a burst; the gateway responds to further ones with 429',
  },
  logRetentionDays: {
    value: v.pipe(
      v.optional(count(3653), 30),
      v.check((days) => days in RetentionDays, 'a number of days that CloudWatch Logs takes'),
    ),
    doc: 'days that logs are kept: 1, 3, 5, 7, 14, 30, 60, 90, …',
  },
  concurrency: {
    value: v.optional(count(100_000)),
    doc: "your account's quota of concurrent executions; from 200 on, shares of it are [reserved](../guides/deploying.md#concurrency). An alarm watches 80 % of it, or of 1,000",
  },
  runConcurrency: { value: v.optional(count(10_000)), doc: `${reserved} direct runs` },
  endpointConcurrency: {
    value: v.optional(count(10_000)),
    doc: `${reserved} requests to script endpoints`,
  },
  pollConcurrency: {
    value: v.optional(count(10_000)),
    doc: `${reserved} polls; polls [wait for less](channels.md#on-aws) when most of them are taken`,
    otherwise: '100 may wait, from the concurrency of the AWS account',
  },
  backgroundConcurrency: {
    value: v.optional(count(10_000)),
    doc: `${reserved} the background`,
  },
  alarmEmail: {
    value: v.optional(v.pipe(v.string('an address'), v.email('an address'))),
    doc: 'recipient of [alarms](../guides/operate.md#alarms)',
  },
  alarmTopic: {
    value: matching('the ARN of a topic', /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/),
    doc: 'SNS topic that [alarms](../guides/operate.md#alarms) notify',
  },
} satisfies SettingGroup<Setting>;
