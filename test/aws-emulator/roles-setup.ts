import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import type { TestProject } from 'vitest/node';
import { bundleFile, bundleHandler } from '../../lib/handler-bundle.ts';
import { recordFolder } from '../judges/record-folder.ts';
import { deployedFunctions, onlyOne, openStackIn, readStatement } from '../support/template.ts';
import type { BuiltCdn } from './fake-cdn.ts';
import type { CorsRule } from './fake-s3.ts';
import type { Statement } from './policies.ts';
import { beginRun, unservedOperations } from './served-operations.ts';

/** A family's function, ready to be started. */
export interface BuiltFunction {
  /** Path of the file that contains the handler. */
  readonly bundle: string;
  /** Name of the function. */
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Statements of its role. */
  readonly statements: readonly Statement[];
  readonly logGroup: string;
}

/** A stack, ready to be deployed. */
export interface BuiltStack {
  readonly functions: Readonly<Record<string, BuiltFunction>>;
  /** Absent in a stack without one. */
  readonly cdn?: BuiltCdn;
  /** Rules of the bucket. */
  readonly cors: readonly CorsRule[];
}

let folder: string | undefined;

let run: TestProject['vitest'] | undefined;

const context = { passwordCost: '10', log: 'debug', mailFrom: 'no-reply@example.com' };

/** Before all test files: synthesises the stacks, bundles every family's handler, and records their paths. */
export function setup({ vitest }: TestProject): void {
  run = vitest;
  folder = mkdtempSync(join(tmpdir(), 'groundwork-roles-'));
  const list = join(folder, 'functions.json');
  const stacks = {
    usual: build(folder, 'usual', {}),
    withoutCdn: build(folder, 'withoutCdn', { cdn: 'false' }),
  };
  writeFileSync(list, JSON.stringify(stacks));
  process.env.TEST_FUNCTIONS = list; // read by deployment.ts
  beginRun(join(folder, 'served.txt'));
}

/** Synthesises the stack with more context. Stacks share the bundles of their functions. */
function build(home: string, name: string, more: Readonly<Record<string, string>>): BuiltStack {
  const stacks = join(home, 'stacks');
  mkdirSync(stacks, { recursive: true });
  const template = Template.fromStack(openStackIn(stacks, { ...context, ...more }).stack);
  recordTemplate(name, template);
  const functions: Record<string, BuiltFunction> = {};
  for (const { family, properties, variables, statements } of deployedFunctions(template)) {
    const bundle = join(home, family, bundleFile);
    if (!existsSync(bundle)) bundleHandler(family, join(home, family));
    const { FunctionName: name, LoggingConfig } = properties;
    const logGroup = LoggingConfig.LogGroup.Ref;
    functions[family] = { bundle, name, variables, statements, logGroup };
  }
  const { CorsRules } = onlyOne(template, 'AWS::S3::Bucket').resource.Properties.CorsConfiguration;
  const cdn = readCdn(template);
  return { functions, cors: CorsRules, ...(cdn && { cdn }) };
}

/** Writes the template beside the accesses that are recorded under its roles, if they are. */
function recordTemplate(name: string, template: Template): void {
  if (recordFolder === undefined) return;
  mkdirSync(recordFolder, { recursive: true });
  writeFileSync(join(recordFolder, `${name}.template.json`), JSON.stringify(template.toJSON()));
}

/** Reads what the template says of its CDN, if it has one. */
export function readCdn(template: Template): BuiltCdn | undefined {
  if (Object.keys(template.findResources('AWS::CloudFront::Distribution')).length === 0) return;
  const propertiesOf = (type: string) => onlyOne(template, type).resource.Properties;
  const { Origins } = propertiesOf('AWS::CloudFront::Distribution').DistributionConfig;
  const { CorsConfig: cors, SecurityHeadersConfig: security } = propertiesOf(
    'AWS::CloudFront::ResponseHeadersPolicy',
  ).ResponseHeadersPolicyConfig;
  const statements = propertiesOf('AWS::S3::BucketPolicy').PolicyDocument.Statement;
  return {
    statements: statements
      .filter(({ Effect }: { Effect: string }) => Effect === 'Allow')
      .map(readStatement),
    originPath: Origins[0].OriginPath,
    headers: { ...(security.ContentTypeOptions && { 'x-content-type-options': 'nosniff' }) },
    corsHeaders: {
      'access-control-allow-origin': cors.AccessControlAllowOrigins.Items.join(),
      'access-control-expose-headers': cors.AccessControlExposeHeaders.Items.join(),
    },
  };
}

/**
 * After all test files.
 *
 * @throws Error after a run of all files, unless each operation of the map has succeeded under its role
 */
export async function teardown(): Promise<void> {
  const unserved = (await isWhole())
    ? unservedOperations().filter((name) => !name.endsWith('/auth/{backend}/')) // social services decide these
    : [];
  if (folder !== undefined) rmSync(folder, { recursive: true });
  if (unserved.length === 0) return;
  process.exitCode = 1; // vitest only prints an error of a teardown
  throw new Error(`no test has these served under their roles: ${unserved.join(', ')}`);
}

/** Checks whether all files of the configuration have run, not only some or a project that were named. */
async function isWhole(): Promise<boolean> {
  if (run?.projects.every(({ name }) => name !== 'roles')) return false;
  const files = (await run?.globTestSpecifications()) ?? [];
  return new Set(files.map(({ moduleId }) => moduleId)).size === run?.state.getPaths().length;
}
