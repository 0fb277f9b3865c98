import type { Citizen, Life } from '../citizen.ts';

interface Kept {
  readonly path: string;
  readonly intervalMs: number;
  /** Its first time. */
  readonly firstMs: number;
}

interface Shown {
  readonly scheduled_next: string;
  readonly missed: number;
}

interface Trace {
  readonly status: string;
  readonly result: { readonly stdout?: string; readonly stderr?: string };
}

const latestMs = 30_000; // on a busy machine, or after the server was killed
const listed = 100; // newest traces of a schedule
const interrupted = 'The run was interrupted.';

/** Keeps schedules by interval and by crontab: each of their times has one run, or is counted as missed. */
export const timekeeper: Citizen = {
  name: 'timekeeper',
  homes: ['small', 'medium', 'large'],
  pauseMs: 500,
  settle: async (life) => {
    const script = await makeScript(life);
    const kept = [
      await make(life, { script, interval_sec: 30 }, 30_000),
      await make(life, { script, crontab: '* * * * *', timezone: 'Asia/Kathmandu' }, 60_000),
    ];
    const { random } = life;
    return {
      act: () =>
        random.chance(0.8) ? checkNext(life, random.pick(kept)) : makeAndDelete(life, script),
      verify: async () => {
        for (const each of kept) await checkTimes(life, each);
      },
    };
  },
};

async function makeScript({ client, home }: Life): Promise<number> {
  const source = 'console.log(CONFIG.mark)';
  const body = { runtime_name: 'nodejs', source, config: { mark: home.mark, timeout: 20 } };
  const call = { path: `${home.base}snippets/scripts/`, key: home.accountKey, body };
  return (await client.expect(call, 201)).body.id;
}

async function make({ client, home }: Life, body: object, intervalMs: number): Promise<Kept> {
  const call = { path: `${home.base}schedules/`, key: home.accountKey, body };
  const { links, scheduled_next } = (await client.expect(call, 201)).body;
  return { path: links.self, intervalMs, firstMs: Date.parse(scheduled_next) };
}

/** Checks that the next time of a schedule has not passed long ago. */
async function checkNext({ client, home }: Life, { path }: Kept): Promise<void> {
  const call = { path, key: home.accountKey };
  const response = await client.expect(call, 200);
  const lateMs = Date.now() - Date.parse(response.body.scheduled_next);
  if (lateMs > latestMs) client.fail(call, response, `it is ${lateMs} ms late`);
}

/** Creates a schedule, changes it and deletes it before its time. */
async function makeAndDelete({ client, home }: Life, script: number): Promise<void> {
  const key = home.accountKey;
  const list = `${home.base}schedules/`;
  const made = await client.expect(
    { path: list, key, body: { script, crontab: '0 0 1 1 *' } },
    201,
  );
  const path: string = made.body.links.self;
  const body = { crontab: null, interval_sec: 86_400 };
  await client.expect({ method: 'PATCH', path, key, body }, 200);
  await client.expect({ method: 'DELETE', path, key }, 204);
  await client.expect({ path: `${path}traces/`, key }, 404);
}

/** Compares the times that have passed with the runs and the missed times. */
async function checkTimes(life: Life, kept: Kept): Promise<void> {
  const { client, home } = life;
  const key = home.accountKey;
  const call = { path: `${kept.path}traces/`, key };
  const before: Shown = (await client.expect({ path: kept.path, key }, 200)).body;
  const response = await client.expect(call, 200);
  const after: Shown = (await client.expect({ path: kept.path, key }, 200)).body;
  if (before.scheduled_next !== after.scheduled_next) return checkTimes(life, kept);
  const times = (Date.parse(after.scheduled_next) - kept.firstMs) / kept.intervalMs;
  const traces: readonly Trace[] = response.body.objects;
  if (traces.length < listed && times !== traces.length + after.missed)
    client.fail(call, response, `${times} times, ${traces.length} runs, ${after.missed} missed`);
  const wrong = traces.find((trace) => !isExpected(trace, home.mark));
  if (wrong !== undefined) client.fail(call, response, `a run was ${JSON.stringify(wrong)}`);
}

function isExpected({ status, result }: Trace, mark: string): boolean {
  if (status === 'pending' || status === 'processing') return true;
  return status === 'success' ? result.stdout === mark : result.stderr === interrupted;
}
