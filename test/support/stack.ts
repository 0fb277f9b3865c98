import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';
import { openStackIn } from './template.ts';

const folder = mkdtempSync(join(tmpdir(), 'groundwork-stacks-'));
afterAll(() => rmSync(folder, { recursive: true })); // else every app leaves a folder behind

/** Returns the stack with this context, in a folder that is deleted with the test file. */
export function openStack(context?: Readonly<Record<string, unknown>>) {
  return openStackIn(folder, context);
}

/** Returns the template of the stack with this context. */
export function synthesise(context?: Readonly<Record<string, unknown>>): Template {
  return Template.fromStack(openStack(context).stack);
}
