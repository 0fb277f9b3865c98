import type { Citizen, Life } from '../citizen.ts';
import type { Answer, Call } from '../client.ts';
import { makeShelf, type Shelf } from '../shelf.ts';

const slowestMs = 60_000;
/** Changes that are looked for in the list of traces, which has a hundred. */
const remembered = 40;

interface Post {
  readonly shelf: Shelf;
  readonly trigger: number;
  /** What the runs of the last acknowledged changes print. */
  readonly expected: string[];
  /** The last change that was sent. */
  round: number;
}

interface Trace {
  readonly status: string;
  readonly executed_at: string;
  readonly result: { readonly stdout?: string };
}

/** Changes objects that a trigger watches: each acknowledged change runs once, those of one object in order. */
export const watchman: Citizen = {
  name: 'watchman',
  homes: ['small', 'medium'],
  settle: async (life) => {
    const post = await openPost(life);
    for (let n = 0; n < 3; n += 1) await post.shelf.create({ round: 0 });
    const { random } = life;
    return {
      act: async () => {
        const id = random.pick([...post.shelf.ledger.ids()]);
        post.round += 1;
        const { round } = post;
        await post.shelf.update(id, { round });
        post.expected.push(`${id} ${round} ${life.home.mark}`);
        if (random.chance(0.02)) await verify(life, post);
      },
      verify: async () => {
        await post.shelf.verify();
        await verify(life, post);
      },
    };
  },
};

/** Creates a class with a trigger whose script prints the id of the object, the change, and the mark of its tenant. */
async function openPost(life: Life): Promise<Post> {
  const { client, home, prefix } = life;
  const shelf = await makeShelf(life, 'rounds', [{ name: 'round', type: 'integer' }]);
  const as = { key: home.accountKey };
  const script = {
    runtime_name: 'nodejs',
    source: 'console.log(ARGS.id, ARGS.round, CONFIG.mark);',
    config: { mark: home.mark, timeout: 20 },
  };
  const path = `${home.base}snippets/scripts/`;
  const { body: made } = await client.expect({ ...as, path, body: script }, 201);
  const body = { class: `${prefix}_rounds`, signal: 'post_update', script: made.id };
  const { body: trigger } = await client.expect(
    { ...as, path: `${home.base}triggers/`, body },
    201,
  );
  return { shelf, trigger: trigger.id, expected: [], round: 0 };
}

/** Waits for the end of all runs, then compares the newest with the changes. */
async function verify(life: Life, post: Post): Promise<void> {
  const { client, home, random } = life;
  const path = `${home.base}triggers/${post.trigger}/traces/?page_size=100`;
  const call: Call = { path, key: home.accountKey };
  const endMs = performance.now() + slowestMs;
  for (;;) {
    const response = await client.expect(call, 200);
    const traces: readonly Trace[] = response.body.objects;
    const isOpen = traces.some(({ status }) => status === 'pending' || status === 'processing');
    const lost = lostOf(post, traces);
    if (!isOpen && lost.length === 0) return judgeOrder(life, { call, answer: response, traces });
    if (performance.now() > endMs)
      client.fail(call, response, `no run of ${lost.join()} after 60 s`);
    await new Promise((resolve) => setTimeout(resolve, random.integer(50, 200)));
  }
}

/** Returns changes without a run. The output of runs that a killed server interrupted is unknown. */
function lostOf({ expected }: Post, traces: readonly Trace[]): readonly string[] {
  const printed = new Set(traces.map(({ result }) => result.stdout));
  const missing = expected.slice(-remembered).filter((line) => !printed.has(line));
  const unknown = traces.filter(({ status }) => status !== 'success').length;
  return missing.length > unknown ? missing : [];
}

interface Seen {
  readonly call: Call;
  readonly answer: Answer;
  readonly traces: readonly Trace[];
}

/** Checks that no change has run twice, and that the runs of each object started in the order of its changes. */
function judgeOrder({ client }: Life, { call, answer: response, traces }: Seen): void {
  const last = new Map<number, number>();
  const ended = traces.filter(({ status }) => status === 'success');
  for (const { result } of ended.toSorted((a, b) => (a.executed_at < b.executed_at ? -1 : 1))) {
    const [id = 0, round = 0] = (result.stdout ?? '').split(' ').map(Number);
    const before = last.get(id) ?? 0;
    if (round <= before)
      client.fail(call, response, `run ${round} of ${id} started after ${before}`);
    last.set(id, round);
  }
}
