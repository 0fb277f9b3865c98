import { expect, it, onTestFinished } from 'vitest';
import { pathByFamily } from '../../bin/smoke/function-step.ts';
import { allSteps, runSmoke } from '../../bin/smoke/run.ts';
import { api, routes } from '../../functions/api.ts';
import { openClient } from '../../shared/clients/client.ts';
import { createRouter } from '../../shared/core/routing/router.ts';
import { machine } from '../scripts/python-hosts.ts';
import { startApi } from '../support/api.ts';
import { medium } from '../support/medium.ts';

/** Functions of Python scripts run in bubblewrap only. */
const steps = allSteps.filter(
  ({ name }) => medium !== 'roles' || machine !== undefined || name !== 'script in Python',
);

it('the smoke test passes, and deletes its instance', async () => {
  const running = await startApi();
  onTestFinished(() => running.close());
  const send = openClient(running.url);
  const account = { email: 'smoke@example.com', password: 'p', isKnown: false, code: undefined };
  const [instance, lines]: [string, string[]] = ['/v1.1/instances/smoke-1/', []];
  const keys: { account?: string } = {};
  const url = running.url;
  const world = { send, url, name: 'smoke-1', instance, account, fcm: undefined, keys };

  const pause = async () => {
    await running.platform.idle();
    running.settle();
  };
  const isWell = await runSmoke({ ...world, pause }, (line) => lines.push(line), steps);

  const failed = lines.filter((line) => !/^ok +\d+ ms {2}\w/.test(line));
  const served = lines.find((line) => line.includes('functions: '));
  expect(failed).toEqual([]);
  expect(served).toMatch(
    medium === 'roles' ? / objects( by objects and root)?, / : / one process /,
  );
  expect([isWell, lines.length]).toEqual([true, steps.length + 1]);
  const { body } = await send({ path: '/v1.1/instances/', key: keys.account });
  expect(body.objects).toEqual([]);
});

it('the smoke test asks for a path of each family', () => {
  const find = createRouter(routes);
  const families = Object.entries(pathByFamily).map(([name, path]) => {
    const whole = path.startsWith('/') ? path : `/v1.1/instances/smoke-1/${path}`;
    return [name, find(whole.replace(/\?.*/, ''))?.route.family];
  });

  expect(families).toEqual(api.map(({ name }) => [name, name]));
});
