import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, widths } from './console-page.ts';

const push = '/v1.1/instances/library/push_notifications/';
const account = { project_id: 'demo', private_key: 'KEY', client_email: 'push@demo.example' };
const tokenKey = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';

describe.skipIf(program === undefined)('push in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)('a device gets a message on Android, %i px wide', async (width) => {
    const tab = await view.open('/i/library/push', { width });
    const { page } = tab;

    await page.getByRole('button', { name: 'Set the credential for development' }).click();
    await page.getByLabel('Service account (.json)').setInputFiles(file('service.json', account));
    await tab.check();
    await page.getByRole('button', { name: 'Save the credential' }).click();
    await page.getByText('service_account:push@demo.example').waitFor();
    expect(await page.locator('body').innerHTML()).not.toContain(account.private_key);

    await page.getByRole('button', { name: 'New device' }).click();
    await page.getByLabel('Token').fill('not a token');
    await page.getByRole('button', { name: 'Register the device' }).click();
    await page.getByText('Registration ID (device token) is invalid.').first().waitFor();
    await page.getByLabel('Token').fill(`pixel-${width}`);
    await page.getByLabel('Label').fill(`Pixel ${width}`);
    await page.getByRole('button', { name: 'Register the device' }).click();
    await page.getByRole('heading', { name: `Pixel ${width}`, level: 1 }).waitFor();
    await tab.check();

    await page.getByRole('button', { name: 'Send a message' }).click();
    await page.getByLabel('Title').fill('A new book');
    await page.getByLabel('Text').fill('It is in the library.');
    await tab.check();
    await page.getByRole('button', { name: 'Send the message' }).click();
    await page.getByText(/^Message \d+: delivered\.$/).waitFor();
    await page.getByRole('link', { name: 'Android (Firebase)' }).click();
    await page.getByRole('link', { name: `Pixel ${width}` }).waitFor();
    await page.getByText('delivered', { exact: true }).first().waitFor();
    await tab.check();

    const sent = await view.send({ path: `${push}gcm/messages/` });
    const notification = { title: 'A new book', body: 'It is in the library.' };
    const content = { environment: 'development', registration_ids: [`pixel-${width}`] };
    expect(sent.body.objects.map((each: { content: object }) => each.content)).toContainEqual({
      ...content,
      notification,
    });
    await page.getByRole('button', { name: 'Remove the credential for development' }).click();
    await page.getByRole('button', { name: 'Remove the credential', exact: true }).click();
    await page.getByText('The credential is removed.').waitFor();
    const config = await view.send({ path: `${push}gcm/config/` });
    expect(config.body.development_api_key).toBeNull();
    await tab.close();
  });

  test.each(widths)('a device on iOS is changed and deleted, %i px wide', async (width) => {
    const token = String(width).padStart(64, 'a');
    const body = { registration_id: token, label: 'Phone' };
    await view.send({ path: `${push}apns/devices/`, body });
    const tab = await view.open('/i/library/push/apns', { width });
    const { page } = tab;

    await page.getByRole('button', { name: 'Set the credential for production' }).click();
    await page.getByLabel('Token key (.p8)').setInputFiles(file('key.p8', tokenKey));
    await page.getByLabel('Key id').fill('ABCDE12345');
    await page.getByLabel('Team id').fill('FGHIJ67890');
    await page.getByLabel('Bundle identifier').fill('com.example.app');
    await tab.check();
    await page.getByRole('button', { name: 'Save the credential' }).click();
    await page.getByText('token_key:ABCDE12345, for com.example.app').waitFor();
    await page.getByRole('button', { name: 'Set the credential for development' }).click();
    await page.getByLabel('The credential is').selectOption('certificate');
    await page.getByLabel('Certificate (.p12)').setInputFiles(file('push.p12', 'no certificate'));
    await page.getByRole('button', { name: 'Save the credential' }).click();
    await page.getByText('Invalid file.').first().waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('link', { name: 'Phone' }).click();
    await page.getByLabel('Takes messages').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    const changed = await view.send({ path: `${push}apns/devices/${token}/` });
    expect(changed.body.is_active).toBe(false);
    await tab.check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete the device' }).click();
    await page.getByText('The device is deleted.').waitFor();
    await page.getByText('No device yet.', { exact: false }).waitFor();
    await tab.close();
  });
});

function file(name: string, content: string | object) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return { name, mimeType: '', buffer: Buffer.from(text) };
}
