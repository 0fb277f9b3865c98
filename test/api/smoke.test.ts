import { expect, it, onTestFinished } from 'vitest';
import { openClient } from '../../bin/client.ts';
import { allSteps, runSmoke } from '../../bin/smoke/run.ts';
import { machine } from '../scripts/python-hosts.ts';
import { startApi } from '../support/api.ts';
import { medium } from '../support/medium.ts';

/** Functions of Python scripts run in bubblewrap only. */
const steps = allSteps.filter(
  ({ name }) => medium !== 'roles' || machine !== undefined || name !== 'script in Python',
);

it('the smoke test passes, and deletes its instance', async () => {
  const api = await startApi();
  onTestFinished(() => api.close());
  const send = openClient(api.url);
  const account = { email: 'smoke@example.com', password: 'p', isKnown: false, code: undefined };
  const [instance, lines]: [string, string[]] = ['/v1.1/instances/smoke-1/', []];
  const keys: { account?: string } = {};
  const world = { send, name: 'smoke-1', instance, account, fcm: undefined, keys };

  const pause = async () => {
    await api.platform.idle();
    api.settle();
  };
  const isWell = await runSmoke({ ...world, pause }, (line) => lines.push(line), steps);

  const failed = lines.filter((line) => !/^ok +\d+ ms {2}\w/.test(line));
  expect(failed).toEqual([]);
  expect([isWell, lines.length]).toEqual([true, steps.length + 1]);
  const { body } = await send({ path: '/v1.1/instances/', key: keys.account });
  expect(body.objects).toEqual([]);
});
