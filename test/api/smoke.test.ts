import { expect, it, onTestFinished } from 'vitest';
import { openClient, type Send } from '../../bin/smoke/client.ts';
import { runSmoke } from '../../bin/smoke/run.ts';
import { startApi } from '../support/api.ts';
import { isOn } from '../support/medium.ts';

const hasCdn = !isOn('roles'); // which is not emulated

it('the smoke test passes, and deletes its instance', async () => {
  const api = await startApi();
  onTestFinished(() => api.close());
  const client = openClient(api.url);
  const send: Send = async (request) => {
    if (!hasCdn && request.path.startsWith('https:')) throw new Error('no CDN');
    return client(request);
  };
  const account = { email: 'smoke@example.com', password: 'p', isKnown: false, code: undefined };
  const [instance, lines]: [string, string[]] = ['/v1.1/instances/smoke-1/', []];
  const keys: { account?: string } = {};
  const world = { send, name: 'smoke-1', instance, account, fcm: undefined, keys };

  const pause = () => api.platform.idle();
  const isWell = await runSmoke({ ...world, pause }, (line) => lines.push(line));

  const failed = lines.filter((line) => !/^ok +\d+ ms {2}\w/.test(line));
  expect(failed).toEqual(hasCdn ? [] : [expect.stringMatching(/ file: no CDN$/)]);
  expect([isWell, lines.length]).toEqual([hasCdn, 13]);
  const { body } = await send({ path: '/v1.1/instances/', key: keys.account });
  expect(body.objects).toEqual([]);
});
