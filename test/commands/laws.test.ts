import { expect, test } from 'vitest';
import { sections } from '../../bin/groundwork/project/model/sections.ts';
import { connectAnother, connectProject, expectStatus } from './project.ts';
import { wholeProject, wholeScripts } from './whole-project.ts';

const files = { 'groundwork.yml': wholeProject, ...wholeScripts };

test('a second push changes nothing', async () => {
  const { run, write, changes } = await connectProject();
  write(files);
  expectStatus(await run('push'), 0);
  expect(changes().length).toBeGreaterThan(20);

  const ended = await run('push');

  expect(ended).toEqual({ status: 0, stdout: 'Nothing differs.\n', stderr: '' });
  expect(changes()).toEqual([]);
});

test('a pull after a push writes equal files: over them, and into an empty folder', async () => {
  const first = await connectProject();
  const second = await connectAnother(first, 'second');
  first.write(files);
  second.write({ '.env': first.read('.env') });

  expectStatus(await first.run('push'), 0);

  expectStatus(await first.run('pull'), 0);
  expect(first.files()).toEqual(files);
  expectStatus(await second.run('pull'), 0);
  expect(second.files()).toEqual(files);
});

test('a push removes with --prune all that it has created', async () => {
  const { run, write, files: present } = await connectProject();
  write(files);
  expectStatus(await run('push'), 0);
  write({ 'groundwork.yml': '{}\n' });
  expect(await run('push')).toMatchObject({ status: 0, stderr: '' });
  expect(await run('diff')).toMatchObject({ status: 2 });

  expectStatus(await run('push', '--prune'), 0);

  expect(await run('diff')).toMatchObject({ status: 0 });
  expectStatus(await run('pull'), 0);
  expect(present()['groundwork.yml']).toBe('{}\n');
});

test('every member of every section can be changed alone', async () => {
  const { run, write, changes } = await connectProject();
  write(files);
  expectStatus(await run('push'), 0);
  changes();
  const changed = wholeProject
    .replace('Our library', 'Their library')
    .replace('loans: 5', 'loans: 6')
    .replace('They write', 'They read')
    .replace('group: editors', 'group: members')
    .replace('custom_publish: true', 'custom_publish: false')
    .replace('title: Books', 'title: Library')
    .replace('timeout: 2.5', 'timeout: 3')
    .replace('public: true', 'public: false')
    .replace('page_size: 20', 'page_size: 0')
    .replace('post_create', 'post_delete')
    .replace('    interval_sec: 60', '    crontab: "* * * * *"')
    .replace('ignore_acl: true', 'ignore_acl: false')
    .replace('books.test', 'books.beta');
  write({ 'groundwork.yml': changed });

  expectStatus(await run('push'), 0);

  expect(changes()).toHaveLength(13);
  expect(await run('diff')).toMatchObject({ status: 0 });
});

test('the whole project has every section', () => {
  const shown = sections.filter(({ name }) => !new RegExp(`^${name}:$`, 'm').test(wholeProject));

  expect(shown).toEqual([]);
});
