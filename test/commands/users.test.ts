import { expect, test } from 'vitest';
import { connectProject, expectStatus } from './project.ts';

const file = `users:
  email: optional
  redirects: [https://app.example.com/in] # the page after a log-in
  providers:
    - name: work
      kind: oidc
      issuer: https://id.example.com/
      client_id: app
      secret: { env: USERS_SECRET_WORK }
`;
const path = 'user_settings/';
const secret = { USERS_SECRET_WORK: 's3cret' };

test('the settings of users are pushed with secrets of the environment, and pulled without', async () => {
  const { run, runWith, write, files, call } = await connectProject();
  write({ 'groundwork.yml': file });

  const without = await run('push');
  expect(without).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(
      'nothing was changed:\n  users.providers.work: the environment has no variable USERS_SECRET_WORK',
    ),
  });
  const pushed = await runWith(secret, 'push');
  expectStatus(pushed, 0);
  expect(pushed.stdout + pushed.stderr).not.toContain('s3cret');
  const { body } = await call('GET', path);
  expect(body).toMatchObject({
    email: 'optional',
    providers: [{ name: 'work', has_secret: true }],
  });

  expect(await run('diff')).toMatchObject({ status: 0, stdout: 'Nothing differs.\n' });
  expect(await run('pull')).toMatchObject({ status: 0, stdout: 'All files are up to date.\n' });
  await call('PATCH', path, { guests: true });
  expectStatus(await run('pull'), 0);
  expect(files()['groundwork.yml']).toContain('env: USERS_SECRET_WORK');
  expect(files()['groundwork.yml']).toContain('guests: true');

  const providers = [{ ...body.providers[0], secret: null }];
  await call('PATCH', path, { providers });
  expect(await run('diff')).toMatchObject({ status: 2 });
  expectStatus(await runWith(secret, 'push'), 0);
  expect((await call('GET', path)).body.providers[0].has_secret).toBe(true);
});

test.each([
  ['a secret', 'secret: s3cret', 'a file has no secret'],
  ['another variable', 'secret: { env: HOME }', 'a file has no secret'],
])('a project file with %s is rejected', async (_name, line, message) => {
  const { runWith, write } = await connectProject();
  write({ 'groundwork.yml': file.replace(/secret: .*/, line) });

  const refused = await runWith(secret, 'push');

  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining(message) });
});
