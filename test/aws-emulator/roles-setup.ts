import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import type { TestProject } from 'vitest/node';
import { bundleFile, bundleHandler } from '../../lib/handler-bundle.ts';
import { deployedFunctions, openStackIn } from '../support/template.ts';
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
}

let folder: string | undefined;

let run: TestProject['vitest'] | undefined;

/** Before all test files: synthesises the stack, bundles every family's handler, and records their paths. */
export function setup({ vitest }: TestProject): void {
  run = vitest;
  folder = mkdtempSync(join(tmpdir(), 'groundwork-roles-'));
  const stacks = join(folder, 'stacks');
  mkdirSync(stacks);
  const context = { passwordCost: '10', log: 'debug', mailFrom: 'no-reply@example.com' };
  const template = Template.fromStack(openStackIn(stacks, context).stack);
  const built: Record<string, BuiltFunction> = {};
  for (const { family, properties, variables, statements } of deployedFunctions(template)) {
    const home = join(folder, family);
    bundleHandler(family, home);
    built[family] = {
      bundle: join(home, bundleFile),
      name: properties.FunctionName,
      variables,
      statements,
    };
  }
  const list = join(folder, 'functions.json');
  writeFileSync(list, JSON.stringify(built));
  process.env.TEST_FUNCTIONS = list; // read by deployment.ts
  beginRun(join(folder, 'served.txt'));
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
  if (unserved.length > 0)
    throw new Error(`no test has these served under their roles: ${unserved.join(', ')}`);
}

/** Checks whether all files of the configuration have run, not only some that were named. */
async function isWhole(): Promise<boolean> {
  const files = (await run?.globTestSpecifications()) ?? [];
  return files.length === run?.state.getPaths().length;
}
