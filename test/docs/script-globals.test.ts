import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect } from 'vitest';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';
import { temporaryFolder } from '../support/temporary.ts';
import {
  makeScript,
  makeTrigger,
  printedBy,
  printInputs,
  settleTriggers,
} from '../support/triggers.ts';

const test = worldTest().extend(
  'folder',
  { scope: 'file' },
  temporaryFolder('groundwork-globals-'),
);

/* The declarations of the globals of scripts: compiled with scripts, and compared with what runs see. */

const project = fileURLToPath(new URL('../..', import.meta.url));
const declarations = join(project, 'docs/guides/script-globals.d.ts');
const complete = `
  const { createHash } = require('node:crypto') as typeof import('node:crypto');
  const { who = 'you' } = ARGS.GET;
  const agent: string | undefined = META.request?.HTTP_USER_AGENT;
  if (META.executed_by === 'trigger' && META.signal === 'update') console.log(META.changes?.length);
  const response = HttpResponse(201, { hello: who, agent, key: CONFIG.key });
  response.statusCode += 1;
  response.headers['X-Digest'] = createHash('sha256').update(META.instance).digest('hex');
  setResponse(ARGS.POST.text ? new HttpResponse(200, ARGS.POST.text, 'text/plain') : response);`;
const guide = readFileSync(join(project, 'docs/guides/scripts.md'), 'utf8');
const [, example = ''] = /^```js\n([\s\S]*?)^```$/m.exec(guide) ?? [];
const mistakes = [
  ["setResponse('text');", "'HttpResponse'"],
  ["new HttpResponse('200');", "'string'"],
  ['META.instanceName;', "'instanceName'"],
  ["META.executed_by === 'endpoint';", 'no overlap'],
  ['META.request.PATH_INFO;', "'META.request' is possibly 'undefined'"],
  ['ARGS = {};', "'ARGS'"],
] as const;

test.beforeAll(({ folder }) =>
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules')),
);

test('scripts compile with them, that of the guide too, and mistakes are errors', ({ folder }) => {
  const valid = [complete, example];

  const errors = errorsIn(folder, [...valid, ...mistakes.map(([source]) => source)]);

  expect(example).toContain('setResponse(');
  expect(errors).toEqual([
    ...valid.map(() => []),
    ...mistakes.map(([, message]) => [expect.stringContaining(message)]),
  ]);
});

test('they describe what runs of each kind see', async ({ api, world, folder }) => {
  const source = 'setResponse(new HttpResponse(200, META))';
  const config = { allow_full_access: true };
  const { script } = await makeEndpoint(world, 'meta', source, { config });
  const endpoint = await world.call(world.owner, 'POST', 'endpoints/scripts/meta/run/', {});
  const at = `snippets/scripts/${script}/run/`;
  const run = expected(await world.call(world.owner, 'POST', at, {}), 200);
  await world.dataClass('book', [{ name: 'title', type: 'string' }]);
  const printing = await makeScript(world, printInputs);
  const trigger = await makeTrigger(world, { signal: 'create', script: printing });
  expected(await world.call(world.owner, 'POST', 'classes/book/objects/', { title: 'a' }), 201);
  await settleTriggers(world);
  await api.platform.idle();
  const trace = expected(await api.send({ as: world.owner, path: run.links.self }), 200);
  const [[, ofTrigger]] = await printedBy(world, trigger);

  const metas = [expected(endpoint, 200), JSON.parse(trace.result.response.content), ofTrigger];

  const checks = metas.map((meta) => `const all: typeof META = ${JSON.stringify(meta)};`);
  expect(metas.map(({ executed_by: kind }) => kind)).toEqual(['webhook', 'codebox', 'trigger']);
  expect(errorsIn(folder, checks).flat()).toEqual([]);
});

/** Compiles scripts as an editor does, each in a block of its own. Returns the errors of each. */
function errorsIn(folder: string, sources: readonly string[]): readonly (readonly string[])[] {
  const paths = sources.map((source, at) => {
    const path = join(folder, `script-${at}.ts`);
    writeFileSync(path, `{\n${source}\n}`);
    return path;
  });
  const program = ts.createProgram([declarations, ...paths], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    types: ['node'],
    typeRoots: [join(project, 'node_modules/@types')],
  });
  return paths.map((path) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(path))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  );
}
