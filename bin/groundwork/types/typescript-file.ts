import { readFileSync } from 'node:fs';
import { declareInstance } from './declarations.ts';
import type { InstanceSchema } from './instance-schema.ts';
import { inComment } from './type-names.ts';

/** Files of the client, in the order in which they are copied. */
const runtime = [
  '../../../shared/values/text/request-path.ts', // paths of the client are built by the same rules
  '../../../shared/clients/typed/interface.ts',
  '../../../shared/clients/typed/values.ts',
  '../../../shared/clients/typed/requests.ts',
  '../../../shared/clients/typed/lists.ts',
  '../../../shared/clients/typed/client.ts',
];

/** Returns the TypeScript file of an instance: the client, which needs no package, and the instance's types. */
export function typescriptFile(schema: InstanceSchema): string {
  const client = runtime.map(readRuntime).join('\n');
  const taken = client.matchAll(/^(?:export )?(?:async )?(?:\w+)\*? (\w+)/gm);
  const names = new Set(Array.from(taken, ([, name = '']) => name));
  return [
    `/* The instance ${inComment(schema.name)}, by \`groundwork types\`. Do not edit: run the command again. */`,
    client.trimEnd(),
    declareInstance(schema, names),
    '',
  ].join('\n\n');
}

/** Checks whether a text was made by {@link typescriptFile}. */
export function isTypescriptFile(text: string): boolean {
  return /^\/\* The instance .*, by `groundwork types`\. /.test(text);
}

function readRuntime(path: string): string {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8');
  return text.replace(/^import [^;]+;\n+/gm, '');
}
