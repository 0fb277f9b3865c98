import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { listMailLetters } from '../../../shared/accounts/mail/mail-letters.ts';
import type { Mail, Mailer } from '../../../shared/ports/ports.ts';
import { MailError } from '../../../shared/ports/ports.ts';
import { expected, startApi } from '../../support/api.ts';

const root = mkdtempSync(join(tmpdir(), 'groundwork-restored-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Opens a mailer of a mail server that is down, or that takes every mail. */
function openMailer(isDown: boolean) {
  const sent: Mail[] = [];
  const mailer: Mailer = {
    delivery: 'queue',
    send: async (mail) => {
      if (isDown) throw new MailError('temporary', 'down');
      sent.push(mail);
    },
  };
  return { mailer, sent };
}

const register = {
  path: '/v1.1/account/register/',
  body: { email: 'a@example.com', password: 'x' },
};

test('mails that wait in copied data are not sent by the copy, but later ones are', async () => {
  const [own, copy] = [join(root, 'own'), join(root, 'copy')];
  const down = await startApi({ folder: own, mailer: openMailer(true).mailer });
  expected(await down.send(register), 201);
  await down.platform.idle();
  await down.close();
  cpSync(own, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });

  const copied = openMailer(false);
  const second = await startApi({ folder: copy, mailer: copied.mailer });
  await second.platform.idle();
  const letters = await listMailLetters(second.platform.store);
  const again = { path: '/v1.1/account/resend_email/', body: { email: 'a@example.com' } };
  const before = copied.sent.length;
  expected(await second.send(again), 204);
  await second.platform.idle();
  await second.close();

  expect(before).toBe(0);
  expect(letters.map(({ error }) => error)).toEqual(['unconfirmed: the data were restored']);
  expect(copied.sent).toHaveLength(1);
});

test('mails that wait are sent after a restart', async () => {
  const folder = join(root, 'restarted');
  const down = await startApi({ folder, mailer: openMailer(true).mailer });
  expected(await down.send(register), 201);
  await down.platform.idle();
  await down.close();

  const up = openMailer(false);
  const next = await startApi({ folder, mailer: up.mailer });
  await expect.poll(() => up.sent.length, { timeout: 20_000 }).toBe(1);
  await next.close();
});
