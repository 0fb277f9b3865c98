import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { openStackIn } from './template.ts';

let usual: Template | undefined;

/** Returns the template of the stack with this context. The one without context is made once in a process. */
export function synthesise(context?: Readonly<Record<string, unknown>>): Template {
  const make = () =>
    inStackFolder((folder) => Template.fromStack(openStackIn(folder, context).stack));
  if (context !== undefined) return make();
  usual ??= make();
  return usual;
}

/** Runs a function with a folder for stacks, which is deleted afterwards. */
export function inStackFolder<Result>(run: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-stacks-'));
  try {
    return run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
