/*
 * Judges the accesses that the suite of roles has recorded, by the policies of the templates that it deployed, with a
 * simulator of IAM that this project has not written.
 *
 * node .ci/iam/judge.mjs FOLDER [--sample]
 *
 * FOLDER is what TEST_RECORD named while `npm run test:roles` ran. First, faults are planted in copies of the templates:
 * exactly the accesses that they concern must be denied. The last line has the numbers. The program fails for an access
 * that is denied, a fault that is not found, and too few accesses. --sample: these are the records of some tests only,
 * which may be few and without the accesses that a fault concerns.
 *
 * The simulator, @cloud-copilot/iam-simulate, is under the AGPL-3.0. It is installed in this folder by .ci/run alone
 * (npm ci --prefix .ci/iam): it is no dependency of the project, and nothing that ships imports it or this file.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  isWildcardOnlyAction,
  runSimulation,
  runUnsafeSimulation,
} from '@cloud-copilot/iam-simulate';
import { openTemplate } from './template.mjs';

const minAccesses = 1500;

/** Families whose functions use nothing of AWS: the console is in its bundle. */
const withoutAccesses = ['console'];

/** Name of the CDN among the callers: the policy of the bucket allows its accesses. */
const cdn = 'cdn';

/**
 * Accesses that the simulator does not accept, with the reason. Their policies are evaluated without the comparison of
 * the resource with the types that the action has.
 */
const exceptions = [
  {
    why: 'the service reference of AWS lists no type of resource for an endpoint, to which pushes are published',
    isFor: ({ action, resource }) =>
      action === 'sns:Publish' && /^arn:aws:sns:.*:endpoint\//.test(resource),
  },
];

/** Faults: the accesses that they concern, and the change of one statement of a policy. */
const faults = [
  {
    name: 'a role lacks an action',
    concerns: ({ caller, action }) => caller === 'objects' && action === 'dynamodb:PutItem',
    plant: (statement) => {
      statement.Action = [statement.Action].flat().filter((one) => one !== 'dynamodb:PutItem');
    },
  },
  {
    name: 'a role has an action on another index only',
    concerns: ({ caller, resource }) => caller === 'objects' && /\/index\/slot0$/.test(resource),
    plant: (statement) => {
      statement.Resource = [statement.Resource]
        .flat()
        .map((one) => one.replace(/\/slot0$/, '/slot'));
    },
  },
  {
    name: 'a role may be passed to another service',
    concerns: ({ action }) => action === 'iam:PassRole',
    plant: ({ Condition }) => {
      if (Condition?.StringEquals?.['iam:PassedToService'])
        Condition.StringEquals['iam:PassedToService'] = 'ec2.amazonaws.com';
    },
  },
  {
    name: 'other partitions may be written',
    concerns: ({ partitions = [], caller, action }, { onlyMeters }) =>
      action === 'dynamodb:PutItem' &&
      onlyMeters(caller) &&
      partitions.some((one) => /#USAGE$/.test(one)),
    plant: ({ Condition }) => {
      if (Condition?.['ForAllValues:StringLike'])
        Condition['ForAllValues:StringLike']['dynamodb:LeadingKeys'] = ['INSTANCE#*#USE'];
    },
  },
  {
    name: 'the bucket allows the CDN another area',
    concerns: ({ caller, action }) => caller === cdn && action === 's3:GetObject',
    plant: (statement) => {
      statement.Resource = [statement.Resource]
        .flat()
        .map((one) => one.replace('/public/', '/private/'));
    },
  },
];

const [folder, option] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node .ci/iam/judge.mjs FOLDER [--sample]');
const isSample = option === '--sample';
const templates = new Map(
  filesIn('.template.json').map((name) => [
    name.replace('.template.json', ''),
    openTemplate(JSON.parse(readFileSync(join(folder, name), 'utf8'))),
  ]),
);
const accesses = readAccesses();
const failures = [];
const used = new Set();

const denied = await deniedOf(accesses, (stack) => stack);
for (const { access, why } of denied) failures.push(`${textOf(access)}: ${why}`);
for (const fault of faults) await checkFault(fault);
const callers = new Set(accesses.map(({ caller }) => caller));
if (!isSample) checkCompleteness();

for (const failure of failures) process.stdout.write(`FAILED: ${failure}\n`);
const actions = new Set(accesses.map(({ action }) => action)).size;
process.stdout.write(
  `judged ${accesses.length} accesses of ${callers.size} roles, ${actions} actions: ${failures.length} failures; ` +
    `${faults.length} planted faults, ${exceptions.length} named exceptions\n`,
);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Demands that the records are those of the whole suite. */
function checkCompleteness() {
  for (const { why } of exceptions)
    if (!used.has(why)) failures.push(`an exception that nothing needs: ${why}`);
  const families = new Set([...templates.values()].flatMap((template) => template.callers()));
  for (const caller of families)
    if (callers.has(caller) === withoutAccesses.includes(caller))
      failures.push(
        `${caller} has ${callers.has(caller) ? 'accesses now' : 'no access'} in the records`,
      );
  if (accesses.length < minAccesses)
    failures.push(`${accesses.length} accesses were recorded, fewer than ${minAccesses}`);
}

function filesIn(ending) {
  return readdirSync(folder).filter((name) => name.endsWith(ending));
}

/** Reads the accesses of all processes, each kind once; the numbers and identifiers in one do not make a kind. */
function readAccesses() {
  const found = new Map();
  for (const name of filesIn('.accesses.jsonl'))
    for (const line of readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')) {
      const { file, resource, partition, ...access } = JSON.parse(line);
      if (partition !== undefined) access.partitions = [partition];
      const arn = templates.get(access.stack).resolve(resource);
      const whole = file === undefined ? arn : `${arn.split('/')[0]}/${file}`;
      found.set(line.replaceAll(/[0-9a-f]{8,}|\d+/g, '0'), { ...access, resource: whole });
    }
  return [...found.values()];
}

/** Returns the accesses that the policies deny; `change` returns another template for a stack. */
async function deniedOf(all, change) {
  const denied = [];
  for (const access of all) {
    const why = await denialOf(access, change(templates.get(access.stack)));
    if (why !== undefined) denied.push({ access, why });
  }
  return denied;
}

/** Returns why an access is denied; undefined: it is allowed. */
async function denialOf(access, template) {
  const simulation = await simulationOf(access, template);
  const { errors, overallResult } = await runSimulation(simulation, {});
  if (errors === undefined) return overallResult === 'Allowed' ? undefined : overallResult;
  const exception = exceptions.find((each) => each.isFor(access));
  if (exception === undefined) return JSON.stringify(errors);
  used.add(exception.why);
  const result = runUnsafeSimulation(simulation, {});
  return result === 'Allowed' ? undefined : result;
}

async function simulationOf({ caller, action, resource, partitions, passedTo }, template) {
  const isCdn = caller === cdn;
  const isWithoutResource = await isWildcardOnlyAction(...action.split(':'));
  const resourcePolicy = template.resourcePolicyOf(action, resource);
  return {
    request: {
      principal: isCdn ? 'cloudfront.amazonaws.com' : template.roleOf(caller),
      action,
      resource: { resource: isWithoutResource ? '*' : resource, accountId: template.account },
      contextVariables: {
        'aws:SecureTransport': 'true',
        'aws:RequestedRegion': template.region,
        ...(action.startsWith('s3:') && { 's3:TlsVersion': '1.3' }),
        ...(isCdn && { 'aws:SourceArn': template.cdnArn() }),
        ...(partitions && { 'dynamodb:LeadingKeys': partitions }),
        ...(passedTo && { 'iam:PassedToService': passedTo }),
      },
    },
    identityPolicies: isCdn ? [] : template.policiesOf(caller),
    ...(resourcePolicy && { resourcePolicy }),
    serviceControlPolicies: [],
    resourceControlPolicies: [],
  };
}

/** Plants a fault, and demands that exactly the accesses that it concerns are denied. */
async function checkFault({ name, concerns, plant }) {
  const expected = accesses.filter((access) => concerns(access, templates.get(access.stack)));
  if (isSample && expected.length === 0) return;
  const callers = new Set(expected.map(({ caller }) => caller));
  const changed = new Map();
  for (const template of templates.values())
    changed.set(template, template.changed(callers, plant));
  const found = await deniedOf(
    accesses.filter(({ caller }) => callers.has(caller)),
    (template) => changed.get(template),
  );
  const texts = (all) => all.map(textOf).sort().join('\n');
  if (expected.length === 0 || texts(found.map(({ access }) => access)) !== texts(expected))
    failures.push(`planted: ${name}: ${found.length} denied, not these ${expected.length}`);
}

function textOf({ stack, caller, action, resource, partitions = [] }) {
  return [stack, caller, action, resource, ...partitions].join(' ');
}
