import { afterAll, expect, test } from 'vitest';
import { openProcesses } from '../../shared/platforms/local/scripts/processes.ts';
import { openScripts } from '../../shared/platforms/local/scripts/scripts.ts';
import { openTemplates } from '../../shared/platforms/local/templates.ts';
import { ApiError } from '../../shared/values/errors/errors.ts';
import { runLocally } from './hosts.ts';

// One owner uses its full share of a machine with few slots, and another is still served.

const processes = openProcesses({ slots: 4 });
const scripts = openScripts({ processes });
const fewProcesses = openProcesses({ slots: 2 }); // renders use a core each
const templates = openTemplates(fewProcesses, 2_000);
afterAll(() => Promise.all([processes.close(), fewProcesses.close()]));

const greedy = 1;
const bystander = { instance: 9, owner: 2 };

test('scripts that sleep for minutes do not delay those of another owner', async () => {
  const sleeps = { source: 'setTimeout(() => {}, 4_000)', timeoutMs: 60_000, waitMs: 1_000 };
  const outcomes = [1, 2, 3].flatMap((instance) =>
    [1, 2].map((script) =>
      runLocally(scripts, { ...sleeps, script, instance, owner: greedy }).then(
        ({ status }) => status,
        (error: Error) => error.message,
      ),
    ),
  );

  const result = await runLocally(scripts, {
    source: 'console.log(1)',
    timeoutMs: 30_000,
    waitMs: 10_000,
    ...bystander,
  });

  expect(result).toMatchObject({ status: 'success', stdout: '1' });
  expect((await Promise.all(outcomes)).toSorted()).toEqual([
    ...Array(4).fill('queue_timeout'),
    ...Array(2).fill('success'),
  ]);
});

test('slow renders of one owner do not delay that of another, and are throttled', async () => {
  const endless =
    '{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}';
  const renders = Array.from({ length: 30 }, (_, n) =>
    templates.render(endless, {}, { instance: n % 3, owner: greedy }).then(
      (rendering) => (rendering.ok ? 'rendered' : rendering.problem),
      (error: unknown) =>
        error instanceof ApiError ? [error.status, error.headers, error.body] : error,
    ),
  );

  const rendering = await templates.render('{{ 1 }}', {}, bystander);

  expect(rendering).toEqual({ ok: true, text: '1' });
  const responses = await Promise.all(renders);
  const late = responses.filter((each) => each === 'Template rendering timeout');
  const refused = responses.filter((each) => Array.isArray(each));
  expect(late.length + refused.length).toBe(30);
  expect(late.length).toBeLessThanOrEqual(4); // one at a time, 2 s each, for the 5 s that others wait
  expect(refused[0]).toEqual([
    503,
    expect.objectContaining({ 'Retry-After': '1' }),
    { detail: 'Too many templates and certificates wait. Expected available in 1 seconds.' },
  ]);
});
