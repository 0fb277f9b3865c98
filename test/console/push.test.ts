import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { p12File } from '../support/p12.ts';
import { serviceAccount, tokenKey } from '../support/push.ts';
import { type Console, openConsole, program, widths } from './console-page.ts';

const push = '/v1.1/instances/library/push_notifications/';
const account = { ...serviceAccount, client_email: 'push@demo.example' };
const keyLine = account.private_key.split('\n')[1];

describe.skipIf(program === undefined)('push in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)('a device gets a message on Android, %i px wide', async (width) => {
    const tab = await view.open('/i/library/push', { width });
    const { page } = tab;

    await page.getByRole('button', { name: 'Set credential for development' }).click();
    await page.getByLabel('Service account (.json)').setInputFiles(file('service.json', account));
    await tab.check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('service_account:push@demo.example').waitFor();
    expect(await page.locator('body').innerHTML()).not.toContain(keyLine);

    await page.getByRole('button', { name: 'New device' }).click();
    await page.getByLabel('Token').fill('not a token');
    await page.getByRole('button', { name: 'Create device' }).click();
    await page.getByText('Registration ID (device token) is invalid.').first().waitFor();
    await page.getByLabel('Token').fill(`pixel-${width}`);
    await page.getByLabel('Label').fill(`Pixel ${width}`);
    await page.getByRole('button', { name: 'Create device' }).click();
    await page.getByRole('heading', { name: `Pixel ${width}`, level: 1 }).waitFor();
    await tab.check();

    await page.getByRole('button', { name: 'Send message' }).click();
    await page.getByLabel('Title').fill('A new book');
    await page.getByLabel('Text').fill('It is in the library.');
    await tab.check();
    await page.getByRole('dialog').getByRole('button', { name: 'Send message' }).click();
    await page.getByText(/^Message \d+: not sent\.$/).waitFor();
    await page.getByRole('link', { name: 'Android (Firebase)' }).click();
    await page.getByRole('link', { name: `Pixel ${width}` }).waitFor();
    await page.getByText('not sent', { exact: true }).first().waitFor();
    await tab.check();

    const sent = await view.send({ path: `${push}gcm/messages/` });
    const notification = { title: 'A new book', body: 'It is in the library.' };
    const content = { environment: 'development', registration_ids: [`pixel-${width}`] };
    expect(sent.body.objects.map((each: { content: object }) => each.content)).toContainEqual({
      ...content,
      notification,
    });
    await page.getByRole('button', { name: 'Remove credential for development' }).click();
    await page.getByRole('button', { name: 'Remove credential', exact: true }).click();
    await page.getByText('Credential removed.').waitFor();
    const config = await view.send({ path: `${push}gcm/config/` });
    expect(config.body.development_api_key).toBeNull();
    await tab.close();
  });

  test('a file that is deleted before it is sent is no mistake of the console', async () => {
    const tab = await view.open('/i/library/push/apns');
    const { page } = tab;
    const folder = mkdtempSync(join(tmpdir(), 'groundwork-file-'));
    await page.getByRole('button', { name: 'Set credential for development' }).click();
    for (const [kind, label] of [
      ['token', 'Token key (.p8)'],
      ['certificate', 'Certificate (.p12)'],
    ] as const) {
      await page.getByLabel('Kind').selectOption(kind);
      const path = join(folder, kind);
      writeFileSync(path, 'text');
      await page.getByLabel(label).setInputFiles(path);
      rmSync(path);
      for (const each of await page.getByRole('dialog').getByRole('textbox').all()) {
        await each.fill('ABCDE12345');
      }
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The file was changed or removed. Choose it again.').waitFor();
    }
    rmSync(folder, { recursive: true });
    await tab.close();
  });

  test.each(widths)('a device on iOS is changed and deleted, %i px wide', async (width) => {
    const token = String(width).padStart(64, 'a');
    const body = { registration_id: token, label: 'Phone' };
    await view.send({ path: `${push}apns/devices/`, body });
    const tab = await view.open('/i/library/push/apns', { width });
    const { page } = tab;

    await page.getByRole('button', { name: 'Set credential for production' }).click();
    await page.getByLabel('Token key (.p8)').setInputFiles(file('key.p8', tokenKey));
    await page.getByLabel('Key id').fill('ABCDE12345');
    await page.getByLabel('Team id').fill('FGHIJ67890');
    await page.getByLabel('Bundle identifier').fill('com.example.app');
    await tab.check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('token_key:ABCDE12345, for com.example.app').waitFor();
    await page.getByRole('button', { name: 'Set credential for development' }).click();
    await page.getByLabel('Kind').selectOption('certificate');
    await page.getByLabel('Certificate (.p12)').setInputFiles(file('push.p12', 'no certificate'));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Invalid file.').first().waitFor();
    const notAfter = new Date(Date.now() + 30 * 86_400_000);
    const friendlyName = 'Apple Push Services: com.example.app';
    const certificate = Buffer.from(p12File({ friendlyName, notAfter }));
    await page
      .getByLabel('Certificate (.p12)')
      .setInputFiles({ name: 'push.p12', mimeType: '', buffer: certificate });
    await tab.check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`certificate, valid until ${day(notAfter)}`, { exact: false }).waitFor();
    await tab.check();
    const stored = await view.send({ path: `${push}apns/config/` });
    expect(stored.body).toMatchObject({
      development_certificate: true,
      development_bundle_identifier: 'com.example.app',
    });
    await page.getByRole('button', { name: 'Remove credential for development' }).click();
    await page.getByRole('button', { name: 'Remove credential', exact: true }).click();
    await page.getByText('certificate, valid until').waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Phone' }).click();
    await page.getByLabel('Active').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    const changed = await view.send({ path: `${push}apns/devices/${token}/` });
    expect(changed.body.is_active).toBe(false);
    await tab.check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete device' }).click();
    await page.getByText('Deleted ').waitFor();
    await page.getByText('No devices yet.', { exact: false }).waitFor();
    await tab.close();
  });

  test.each(widths)('a message goes to devices of all pages, %i px wide', async (width) => {
    const users = '/v1.1/instances/library/users/';
    const profile = { username: `ada${width}`, password: 'a password' };
    const { body: ada } = await view.send({ path: users, body: profile });
    for (let device = 1; device <= 25; device += 1) {
      const user = device === 25 ? ada.id : null;
      const body = { registration_id: `many-${width}-${device}`, user, is_active: device !== 2 };
      await view.send({ path: `${push}gcm/devices/`, body });
    }
    await view.send({
      method: 'PATCH',
      path: `${push}gcm/config/`,
      body: { development_api_key: account },
    });
    const tab = await view.open('/i/library/push', { width });
    const { page } = tab;
    await page.getByRole('button', { name: 'Send message' }).click();
    const dialog = page.getByRole('dialog');
    const device = (number: number) =>
      dialog.getByLabel(`many-${width}-${number}`, { exact: true });

    await dialog.getByLabel('Title').fill('To some');
    await dialog.getByRole('button', { name: 'Send message' }).click();
    await dialog.getByText('Choose at least one device').waitFor();
    await device(1).check();
    expect(await device(2).count()).toBe(0);
    await tab.check();
    await dialog.getByRole('button', { name: 'Next page' }).click();
    await device(24).check();
    await dialog.getByLabel('User id').fill(String(ada.id));
    await dialog.getByRole('button', { name: 'Next page' }).waitFor({ state: 'detached' });
    await device(25).check();
    await dialog.getByText('Chosen: 3').waitFor();
    await tab.check();
    await dialog.getByRole('button', { name: 'Send message' }).click();
    await page.getByText(/^Message \d+: not sent\.$/).waitFor();

    const sent = await view.send({ path: `${push}gcm/messages/` });
    const contents = sent.body.objects.map((each: { content: object }) => each.content);
    expect(contents).toContainEqual({
      environment: 'development',
      registration_ids: [1, 24, 25].map((number) => `many-${width}-${number}`),
      notification: { title: 'To some', body: '' },
    });
    for (let number = 1; number <= 25; number += 1) {
      const path = `${push}gcm/devices/many-${width}-${number}/`;
      await view.send({ method: 'DELETE', path });
    }
    await tab.close();
  });
});

/** Returns the day in UTC, as it is shown. */
function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function file(name: string, content: string | object) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return { name, mimeType: '', buffer: Buffer.from(text) };
}
