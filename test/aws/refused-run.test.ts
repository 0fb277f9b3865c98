import { expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import { createHandler } from '../../shared/platforms/aws/handler.ts';
import { runScript } from '../../shared/scripts/script-runs.ts';
import { clientEvent } from '../aws-emulator/gateway-event.ts';
import { worldTest } from '../support/fixtures.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

const it = worldTest();

it('a run that the platform cannot make is a server error, and a failure in its trace', async ({
  api,
  world,
}) => {
  await makeEndpoint(world, 'echo', 'console.log(1)');
  const scripts = {
    run: () => Promise.reject(new Error('refused')),
    settled: () => Promise.resolve(),
  };
  const services = { ...api.platform, scripts };
  const runs = { ...api.platform.runs, wait: runScript.bind(undefined, services) };
  const handler = createHandler(routes, { ...services, runs });
  const path = `${world.base}endpoints/scripts/echo/run/`;

  const { statusCode, body } = await handler(
    clientEvent({ method: 'POST', path, key: world.owner, body: {} }),
  );

  expect([statusCode, body]).toEqual([500, '{"detail":"Internal server error."}']);
  const traces = await api.send({ as: world.owner, path: path.replace('run/', 'traces/') });
  expect(traces.body.objects).toMatchObject([
    { status: 'failure', result: { stderr: 'The script could not be run.' } },
  ]);
  expect(api.logged.filter(({ level }) => level === 'error')).toHaveLength(1);
});
