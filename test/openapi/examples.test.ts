import { expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import type { Api } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';
import { type Credentials, sendRaw } from '../support/http-client.ts';
import { fillBody, journey } from '../support/journey.ts';
import { examplesOf } from './examples.ts';
import { type Exchange, startRecorder } from './judge.ts';
import { ofOwner, ofUser } from './requests.ts';

const test = apiTest().extend('given', { scope: 'file' }, async ({ api }, { onCleanup }) => {
  const exchanges: Exchange[] = [];
  const recorder = await startRecorder((exchange) => exchanges.push(exchange), api.url);
  onCleanup(() => recorder.close());
  return { exchanges, send: openSender(api, recorder.url) };
});

test('the OpenAPI document has examples of operations that no guide shows; -u writes them', async ({
  given: { send, exchanges },
}) => {
  const keys: Record<string, string> = {};
  for (const { call, as, query, body } of journey) {
    const whole = query === undefined ? call : `${call}?${query}`;
    const { body: answered } = await send(as && keys[as], whole, fillBody(body, { code: 'code' }));
    keys.owner ??= answered?.account_key;
    keys.app ??= answered?.api_key;
  }
  const { owner } = keys;
  await send(owner, 'POST /v1.1/instances/', { name: 'library' });
  for (const [call, body] of ofOwner) {
    const { status } = await send(owner, call, body);
    expect([call, status < 300]).toEqual([call, true]);
  }
  const { body: app } = await send(owner, 'POST api_keys/', {});
  const { body: user } = await send(owner, 'POST users/1/reset_key/');
  const ada = { key: app.api_key, user: user.user_key };
  for (const [call, body] of ofUser) {
    const { status } = await send(ada, call, body);
    expect([call, status < 300]).toEqual([call, true]);
  }

  await expect(examplesOf(routes, exchanges)).toMatchFileSnapshot(
    '../../functions/schema/further-examples.json',
  );
});

/** Returns a function that sends requests through the recorder, and returns their status and body. */
function openSender(api: Api, url: string) {
  return async (as: Credentials, call: string, body?: unknown) => {
    const [method = '', path = ''] = call.split(' ');
    const whole = path.startsWith('/') ? path : `/v1.1/instances/library/${path}`;
    const sent = body === undefined ? {} : { body };
    const response = await sendRaw(url, { method, path: whole, as, ...sent });
    await api.platform.idle(); // what it has begun has ended for the next request
    return response;
  };
}
