import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { machine } from '../scripts/python-hosts.ts';
import { expected } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

/*
 * The version of a script in a run, wherever scripts run: where each has its own function, the function is updated
 * after the response, and runs wait for it.
 */

const hasPython = machine !== undefined;

const call = (method: string, path: string, body?: unknown) =>
  world.call(world.owner, method, `snippets/scripts/${path}`, body);

async function store(source: string, runtime_name = 'nodejs_v6'): Promise<number> {
  return expected(await call('POST', '', { label: 'x', runtime_name, source }), 201).id;
}

/** Runs a script, and returns its trace after the end. */
async function run(script: number, payload: object = {}) {
  const { id } = expected(await call('POST', `${script}/run/`, { payload }), 200);
  for (;;) {
    const trace = expected(await call('GET', `${script}/traces/${id}/`), 200);
    if (!['pending', 'processing'].includes(trace.status)) return trace;
    await api.platform.idle();
    await pause(50); // a key may send 60 requests a second
  }
}

const printed = (stdout: string) => ({ status: 'success', result: { stdout, stderr: '' } });

describe('a run', () => {
  it('right after a change of its script has the new version', async () => {
    const script = await store('console.log("hello", ARGS.name)');

    expect(await run(script, { name: 'Ann' })).toMatchObject(printed('hello Ann'));
  });

  it('has the latest source, each time', async () => {
    const script = await store('console.log(0)');
    const seen = [];

    for (const n of [1, 2, 3]) {
      expected(await call('PATCH', `${script}/`, { source: `console.log(${n})` }), 200);
      seen.push((await run(script)).result.stdout);
    }

    expect(seen).toEqual(['1', '2', '3']);
  });

  it.runIf(hasPython)('has the latest source in another language', async () => {
    const script = await store('console.log(0)');
    const first = await run(script);

    const changed = { runtime_name: 'python3', source: 'print(ARGS["n"])' };
    expected(await call('PATCH', `${script}/`, changed), 200);
    const second = await run(script, { n: 7 });

    expect([first, second]).toMatchObject([printed('0'), printed('7')]);
  });

  it('is not affected by changes of other fields', async () => {
    const script = await store('console.log(CONFIG.n)');
    await run(script);

    expected(await call('PATCH', `${script}/`, { config: { n: 7 }, label: 'other' }), 200);

    expect(await run(script)).toMatchObject(printed('7'));
  });

  it('may have a source that is too large for a record', async () => {
    const script = await store(`// ${'x'.repeat(200_000)}\nconsole.log('at the end')`);

    expect(await run(script)).toMatchObject(printed('at the end'));
  });

  it('is of its own script, also with identical scripts elsewhere', async () => {
    const scripts = await Promise.all([1, 2, 3, 4].map((n) => store(`console.log(${n})`)));

    const traces = await Promise.all(scripts.map((script) => run(script)));

    expect(traces.map(({ result }) => result.stdout)).toEqual(['1', '2', '3', '4']);
  });

  it('reports a failure and a time-out like a success', async () => {
    const failing = await store('throw new Error("no")');
    const spinning = await store('console.log("begun"); for (;;);');
    expected(await call('PATCH', `${spinning}/`, { config: { timeout: 3 } }), 200);

    const [failure, timeout] = await Promise.all([run(failing), run(spinning)]);

    expect(failure).toMatchObject({
      status: 'failure',
      result: { stdout: '', stderr: expect.stringMatching('Error: no') },
    });
    expect(timeout).toMatchObject({ status: 'timeout', result: { stdout: 'begun' } });
  });
});
