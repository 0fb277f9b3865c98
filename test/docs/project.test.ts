import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sections } from '../../bin/groundwork/project/model/sections.ts';
import { connectProject } from '../commands/project.ts';
import { tableAfter } from './markdown.ts';
import { maskAnswer, sectionOf } from './tour.ts';

const guide = readFileSync(new URL('../../docs/guides/project.md', import.meta.url), 'utf8');

test('the first project works as printed', async () => {
  const { run, write, call, url } = await connectProject();
  const blocks = [...sectionOf(guide, 'A first project').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const texts = (wanted: string) =>
    blocks.filter(([, language]) => language === wanted).map(([, , text = '']) => text);
  const [file = ''] = texts('yaml');
  const [script = ''] = texts('ts');
  write({ 'groundwork.yml': file, 'scripts/greet.ts': script });
  expect(texts('sh')).toEqual(['groundwork push\n', 'groundwork push\n']);

  for (const output of texts('text')) {
    const stdout = (await run('push')).stdout.replaceAll(url, 'http://127.0.0.1:3000');
    expect(maskAnswer(stdout, output)).toBe(output);
  }

  const greeted = await call('POST', 'endpoints/scripts/hello/run/', { who: 'ada' });
  expect(greeted.body.result).toMatchObject({ stdout: 'hello ada' });
});

test('the fields that the guide shows are a project', async () => {
  const { run, write } = await connectProject();
  const [, yaml = ''] = /### Fields[\s\S]*?```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
  write({ 'groundwork.yml': yaml });

  expect(await run('push')).toMatchObject({ status: 0 });
});

test('the guide has a row for each section', () => {
  const rows = [...tableAfter(guide, '## The file').keys()];

  expect(rows).toEqual(sections.map(({ name }) => `\`${name}\``));
});
