import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backUp } from '../../../shared/platforms/local/backup/backup.ts';
import { restoreDataFolder } from '../../../shared/platforms/local/backup/restore.ts';
import { readEnvironment } from '../../../shared/platforms/local/environment.ts';
import { openPlatform } from '../../../shared/platforms/local/platform.ts';
import type { PushMode } from '../../../shared/ports/ports.ts';
import { endProcesses, startProcess } from '../../support/server-process.ts';

/* Whether the pushes of a data folder leave the machine: a laptop with a restored backup must not write to phones. */

const root = mkdtempSync(join(tmpdir(), 'groundwork-push-mode-'));
const fresh = join(root, 'fresh');
afterAll(() => {
  endProcesses();
  rmSync(root, { recursive: true, force: true });
});

const addresses = { fcm: '', googleToken: '', apns: '', apnsSandbox: '' };

/** Opens a folder, and returns what happens to its pushes. */
async function modeOf(folder: string | undefined, mode?: PushMode): Promise<PushMode> {
  const { settings } = { settings: readEnvironment({}) };
  const { push, close } = await openPlatform({
    folder,
    settings: { ...settings, registration: 'open' },
    log: () => {},
    url: () => 'http://127.0.0.1:1',
    background: { consumers: [], jobTypes: [] },
    pushing: { mode, addresses },
  });
  await close();
  return push.mode;
}

describe('pushes of a data folder', () => {
  beforeAll(() => modeOf(fresh));

  test('that is new are sent, also after a restart', async () => {
    expect(await modeOf(fresh)).toBe('send');
  });

  test('that is restored from a backup go into the outbox until the setting says otherwise', async () => {
    const [backup, restored] = [join(root, 'backup'), join(root, 'restored')];
    await backUp(fresh, backup);
    await restoreDataFolder(backup, restored);

    expect(await modeOf(restored)).toBe('outbox');
    expect(await modeOf(restored, 'send')).toBe('send');
    expect(await modeOf(restored)).toBe('outbox');
  });

  test('that is a copy go into the outbox, and so do those of restored files in a new folder', async () => {
    const [copy, mixed] = [join(root, 'copy'), join(root, 'mixed')];
    cpSync(fresh, copy, { recursive: true });
    await modeOf(mixed);
    for (const name of ['store', 'secrets.json', 'format.json'])
      cpSync(join(fresh, name), join(mixed, name), { recursive: true });

    expect(await modeOf(copy)).toBe('outbox');
    expect(await modeOf(mixed)).toBe('outbox');
  });

  test('of an earlier release go into the outbox', async () => {
    const old = join(root, 'old');
    await modeOf(old);
    rmSync(join(old, 'push-mode'));

    expect(await modeOf(old)).toBe('outbox');
  });

  test('that was created with the outbox stay there', async () => {
    const folder = join(root, 'outbox');

    expect(await modeOf(folder, 'outbox')).toBe('outbox');
    expect(await modeOf(folder)).toBe('outbox');
    expect(await modeOf(folder, 'send')).toBe('send');
  });

  test('whose memory of it is damaged go into the outbox', async () => {
    const folder = join(root, 'damaged');
    await modeOf(folder);
    writeFileSync(join(folder, 'push-mode'), 'send\n');

    expect(await modeOf(folder)).toBe('outbox');
  });
});

test('data in memory send no pushes, unless the setting says so', async () => {
  expect([await modeOf(undefined), await modeOf(undefined, 'send')]).toEqual(['outbox', 'send']);
});

test.each([
  ['GROUNDWORK_FCM_URL', 'http://fcm.example'],
  ['GROUNDWORK_FCM_URL', 'http://127.0.0.1.evil.example'],
  ['GROUNDWORK_FCM_URL', 'https://user@fcm.example'],
  ['GROUNDWORK_APNS_URL', 'https://apns.example/path'],
  ['GROUNDWORK_GOOGLE_TOKEN_URL', 'http://google.example/token'],
  ['GROUNDWORK_PUSH_MODE', 'sent'],
])('%s does not take %s', (name, value) => {
  expect(() => readEnvironment({ [name]: value })).toThrow(`${name} takes`);
});

test.each([
  ['GROUNDWORK_FCM_URL', 'http://127.0.0.1:8080'],
  ['GROUNDWORK_APNS_URL', 'http://[::1]:8080'],
  ['GROUNDWORK_APNS_SANDBOX_URL', 'https://apns.example:2197'],
  ['GROUNDWORK_GOOGLE_TOKEN_URL', 'http://localhost:8080/token'],
])('%s takes %s', (name, value) => {
  expect(Object.values(readEnvironment({ [name]: value }).pushing.addresses)).toContain(value);
});

test('the start line says what happens to pushes', async () => {
  const folder = join(root, 'told');
  const sending = await startProcess(folder, { variables: { GROUNDWORK_PUSH_MODE: 'send' } });
  const told = sending.output();
  await sending.end('SIGTERM');
  const quiet = await startProcess(folder);
  await quiet.end('SIGTERM');

  expect(told).toContain('Pushes are sent to Google and Apple');
  expect(quiet.output()).toContain(`Pushes are written to ${join(folder, 'outbox')}, not sent`);
});
