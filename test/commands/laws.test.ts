import { expect, test } from 'vitest';
import { sections } from '../../bin/groundwork/project/model/sections.ts';
import { expected } from '../support/api.ts';
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

test('a second push of -0 changes nothing', async () => {
  const { run, write, changes } = await connectProject();
  write({ 'groundwork.yml': 'config: { loans: -0, rates: [-0.0, -0e3], -0: 1 }\n' });
  expectStatus(await run('push'), 0);
  changes();

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

const loose = `
instance: { description: "  spaces  ", metadata: '{"a": 1}' }
config: {}
classes:
  user_profile:
  book:
    other_permissions: 1
    fields: { title: String  Ordered  unique, next: RELATION Book, same: { type: reference, target: SELF, unique: true } }
groups: { 2017: }
channels: { eventlog: {}, chat: { group: "2017", custom_publish: "true" } }
templates:
  page:
    content_type: "text/html "
    content: |

      <p>{{ title }}</p>

scripts:
  run:
    file: ./scripts/run.js
    runtime_name: nodejs
    config: '{"timeout": 5}'
data_endpoints:
  all: { class: BOOK, query: '{"title": {"_gt": "a"}}', page_size: "0", order_by: " -title ", expand: "", excluded_fields: null }
triggers: { on change: { class: Book, signal: post_update, script: run } }
schedules: { nightly: { script: run, crontab: "  0  0 * * *  ", interval_sec: } , often: { script: run, interval_sec: "60", crontab: "" } }
api_keys: { app: { ignore_acl: "1" }, groundwork init: }
push: { production_bundle_identifier: " org.example ", development_bundle_identifier: ~ }
`;

test('values that the server stores in another form do not differ', async () => {
  const { run, write, changes, files: present } = await connectProject();
  const written = { 'groundwork.yml': loose, 'scripts/run.js': 'console.log(1)\r\n\n' };
  write(written);
  expectStatus(await run('push'), 0);
  changes();

  expect(await run('push')).toMatchObject({ stdout: 'Nothing differs.\n' });

  expect(changes()).toEqual([]);
  expect(await run('pull')).toMatchObject({ stdout: 'All files are up to date.\n' });
  expect(present()).toEqual(written);
});

test('a record that only a create can change is created again with --prune', async () => {
  const { run, write, changes } = await connectProject();
  write(files);
  expectStatus(await run('push'), 0);
  write({ 'groundwork.yml': wholeProject.replace('    type: separate_rooms\n', '') });
  changes();

  const refused = await run('push');

  expect(refused).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('replace  channels  news  type\n'),
    stderr: expect.stringContaining('a change of type replaces it, which takes --prune'),
  });
  expect(changes()).toEqual([]);
  expectStatus(await run('push', '--prune'), 0);
  expect(changes()).toEqual(['DELETE channels/news/', 'POST channels/']);
  expect(await run('diff')).toMatchObject({ status: 0 });
});

test('a push that fails names the record, and the next one goes on', async () => {
  const { run, write, changes } = await connectProject();
  const wrong = wholeProject.replace('{{ title }}', '{{ title');
  write({ ...files, 'groundwork.yml': wrong });

  const failed = await run('push');

  expect(failed).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /^Pushed 11 changes to library.\ngroundwork: templates.page: content: unexpected token: \/ \(line 1, column 14\)\n$/,
    ),
  });
  write(files);
  changes();
  expectStatus(await run('push'), 0);
  expect(changes()[0]).toBe('POST snippets/templates/');
  expect(await run('diff')).toMatchObject({ status: 0 });
});

test('an account with the role write pushes what it may change', async () => {
  const { run, write, call, api, url } = await connectProject();
  const body = { email: 'bob@example.com', password: 'secret' };
  const registered = await api.send({ path: '/v1.1/account/register/', body });
  const invited = await call('POST', 'invitations/', { email: body.email, role: 'write' });
  const as = expected(registered, 201).account_key;
  const accept = { invitation_key: expected(invited, 201).key };
  await api.send({ as, path: '/v1.1/account/invitations/accept/', body: accept });
  write(files);

  const ended = await run('push', '--only', 'groups,classes', '--url', url, '--key', as);

  expect(ended).toMatchObject({ status: 0, stderr: 'Pushed 6 changes to library.\n' });
  expect(await run('push', '--url', url, '--key', as)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('groundwork: api_keys cannot be read: You do not have'),
  });
});
