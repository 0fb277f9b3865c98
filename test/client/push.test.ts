import { describe, expect } from 'vitest';
import { type Client, connectOwner, errorOf, run } from '../support/client-calls.ts';
import { apiTest } from '../support/fixtures.ts';
import { apnsToken, outboxOf, serviceAccount } from '../support/push.ts';

const it = apiTest().extend('client', { scope: 'file' }, ({ api }) => connectOwner(api));

/*
 * Push notifications as the original client library sends them.
 */

const apple = { ...apnsToken('development'), ...apnsToken('production') };
const google = { development_api_key: serviceAccount, production_api_key: serviceAccount };
const uuid = '4e3c1b0a-5c5d-4a41-9f6e-8a4c8f0f8d11';

describe.each([
  { provider: 'GCM', config: google, registration_id: 'dk3:token-1', device_id: '0x1' },
  { provider: 'APNS', config: apple, registration_id: 'ab'.repeat(32), device_id: uuid },
])('$provider', ({ provider, config, registration_id, device_id }) => {
  const models = (client: Client) => ({
    Config: client[`${provider}Config`],
    Device: client[`${provider}Device`],
    Message: client[`${provider}Message`],
  });

  it('is configured, and its credentials are not returned', async ({ client }) => {
    await run(models(client).Config.please().update({}, config));

    const read = await run(models(client).Config.please().get());

    expect(JSON.stringify(read)).not.toContain('c2VjcmV0');
  });

  it('has devices that are created, read, changed, listed and deleted', async ({ client }) => {
    const { Device } = models(client);
    await run(Device.please().create({ registration_id, device_id, label: 'mine' }));
    const read = await run(Device.please().get({ registration_id }));
    const changed = await run(Device.please().update({ registration_id }, { label: 'yours' }));
    const listed = await run(Device.please().list());
    const again = await errorOf(Device.please().create({ registration_id, device_id }));

    expect([read.label, changed.label, read.is_active]).toEqual(['mine', 'yours', true]);
    expect(listed.map((device: Client) => device.registration_id)).toEqual([registration_id]);
    expect(again.status).toBe(400);
    await run(Device.please().delete({ registration_id }));
    const gone = await errorOf(Device.please().get({ registration_id }));
    expect(gone.status).toBe(404);
  });

  it('accepts messages, which are delivered, and listed', async ({ api, client }) => {
    const { Message } = models(client);
    const content = {
      environment: 'development',
      registration_ids: [registration_id],
      ...(provider === 'GCM' ? { data: { a: 'b' } } : { aps: { alert: 'hello' } }),
    };

    const sent = await run(Message.please().create({ content }));
    await api.platform.idle();
    const read = await run(Message.please().get({ id: sent.id }));
    const listed = await run(Message.please().list());

    expect([sent.status, read.status, read.id]).toEqual(['scheduled', 'delivered', sent.id]);
    expect(listed.map(({ id }: Client) => id)).toEqual([sent.id]);
    expect(outboxOf(api).at(-1)).toMatchObject({ registration_id });
  });
});
