import { setTimeout } from 'node:timers/promises';
import type { Citizen, Life } from '../citizen.ts';

interface Draft {
  readonly script: string;
  readonly run: string;
  /** Number of the last version that was sent; the next member is the last acknowledged one. */
  sent: number;
  stored: number;
}

const betweenEditsMs = 50;

/** Edits runtime and source of a script while others run it, and deletes scripts while they run. */
export const editor: Citizen = {
  name: 'editor',
  homes: ['medium'],
  settle: async (life) => {
    const draft = await makeDraft(life, 'draft');
    const check = async () => {
      draft.stored = Math.min(draft.stored, draft.sent);
      await run(life, draft);
    };
    return {
      act: () =>
        life.random.chance(0.8) ? editWhileRunning(life, draft) : deleteWhileRunning(life),
      verify: check,
    };
  },
};

function version({ runtimes }: Life, number: number) {
  const runtime = runtimes[number % runtimes.length] ?? 'nodejs';
  const print = runtime === 'nodejs' ? 'console.log' : 'print';
  return { runtime_name: runtime, source: `${print}("version ${number} of ${runtime}")` };
}

async function makeDraft(life: Life, name: string): Promise<Draft> {
  const { client, home, prefix } = life;
  const as = { key: home.accountKey };
  const scripts = `${home.base}snippets/scripts/`;
  const label = `${prefix}-${name}`;
  const script = { ...version(life, 0), label };
  const made = await client.expect({ ...as, path: scripts, body: script }, 201);
  const list = `${home.base}endpoints/scripts/`;
  const body = { name: label, script: made.body.id };
  await client.expect({ ...as, path: list, body }, 201);
  const run = `${list}${label}/run/`;
  return { script: `${scripts}${made.body.id}/`, run, sent: 0, stored: 0 };
}

/** Edits while two clients run the script. Each run has a version from the last stored to the last sent one. */
async function editWhileRunning(life: Life, draft: Draft): Promise<void> {
  let isOver = false;
  const runs = async () => {
    while (!isOver) await run(life, draft);
  };
  const edits = async () => {
    try {
      for (let n = 0; n < 10; n += 1) {
        await edit(life, draft);
        await setTimeout(betweenEditsMs);
      }
    } finally {
      isOver = true;
    }
  };
  await Promise.all([runs(), runs(), edits()]);
}

async function edit(life: Life, draft: Draft): Promise<void> {
  const { client, home } = life;
  const number = draft.sent + 1;
  draft.sent = number;
  const body = version(life, number);
  await client.expect({ method: 'PATCH', path: draft.script, key: home.accountKey, body }, 200);
  draft.stored = number;
}

async function run({ client, home }: Life, draft: Draft): Promise<void> {
  const call = { method: 'POST', path: draft.run, key: home.accountKey, kind: 'run' } as const;
  const oldest = draft.stored;
  const response = await client.expect(call, 200);
  const { status, result } = response.body;
  if (status !== 'success')
    client.fail(call, response, `the run ended ${status}: ${JSON.stringify(result).slice(0, 300)}`);
  const [, seen] = /^version (\d+) of \w+$/.exec(result.stdout) ?? [];
  if (seen === undefined || Number(seen) < oldest || Number(seen) > draft.sent)
    client.fail(call, response, `it printed ${result.stdout}, stored is version ${oldest}`);
}

async function deleteWhileRunning(life: Life): Promise<void> {
  const { client, home, random } = life;
  const draft = await makeDraft(life, `short-${random.word(8)}`);
  await run(life, draft);
  const as = { key: home.accountKey };
  const call = { ...as, method: 'POST', path: draft.run, kind: 'run' } as const;
  const last = client.expect(call, 200, 404);
  const gone = client.expect({ ...as, method: 'DELETE', path: draft.script }, 204);
  const [response] = await Promise.all([last, gone]);
  const { status, result } = response.body;
  const isGone = status === 'failure' && result.stderr === 'The script was deleted.'; // it has waited for a slot
  if (response.status === 200 && status !== 'success' && !isGone)
    client.fail(call, response, `the run of a script that is deleted ended ${status}`);
  await client.expect(call, 404);
}
