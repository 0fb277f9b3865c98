import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { bundleFile, bundleHandler } from '../../lib/handler-bundle.ts';
import { deployedFunctions, openStackIn } from '../support/template.ts';
import type { Statement } from './policies.ts';

/** A family's function, ready to be started. */
export interface BuiltFunction {
  /** Path of the file that contains the handler. */
  readonly bundle: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Statements of its role. */
  readonly statements: readonly Statement[];
}

let folder: string | undefined;

/** Before all test files: synthesises the stack, bundles every family's handler, and records their paths. */
export function setup(): void {
  folder = mkdtempSync(join(tmpdir(), 'groundwork-roles-'));
  const stacks = join(folder, 'stacks');
  mkdirSync(stacks);
  const context = { passwordCost: '10', log: 'debug', mailFrom: 'no-reply@example.com' };
  const template = Template.fromStack(openStackIn(stacks, context).stack);
  const built: Record<string, BuiltFunction> = {};
  for (const { family, variables, statements } of deployedFunctions(template)) {
    const home = join(folder, family);
    bundleHandler(family, home);
    built[family] = { bundle: join(home, bundleFile), variables, statements };
  }
  const list = join(folder, 'functions.json');
  writeFileSync(list, JSON.stringify(built));
  process.env.TEST_FUNCTIONS = list; // read by deployment.ts
}

/** After all test files. */
export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true });
}
