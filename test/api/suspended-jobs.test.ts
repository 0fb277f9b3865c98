import { describe, expect } from 'vitest';
import { jobTypes } from '../../functions/jobs.ts';
import { changeSuspension } from '../../shared/instances/suspension.ts';
import { type JobContext, newJob } from '../../shared/jobs/jobs.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { scheduleJob } from '../../shared/schedules/schedule-record.ts';
import { planRun } from '../../shared/scripts/pending-runs.ts';
import { instanceCounter } from '../../shared/table/counters.ts';
import { jobEntity, jobShards } from '../../shared/table/entities/jobs.ts';
import { suspendedJobMs } from '../../shared/values/bounds.ts';
import { expected, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { instanceId } from '../support/stored-records.ts';
import { makeScript, makeTrigger } from '../support/triggers.ts';

/* What runs without a request in a suspended instance (docs/reference/instances.md#suspended). */

const clock = openMovedClock('2026-03-27T12:00:00Z');
const it = worldTest({ clock });

const message = 'This instance is suspended.';

it.beforeEach(async ({ world }) => {
  await change(world, 'resume').catch(() => undefined); // most tests end suspended
});

/**
 * What each type of job does in a suspended instance. A new type needs an entry here: those that only tidy up, or make
 * the owner's backups, go on; those that act for the tenant wait; runs and schedules decide by themselves.
 */
const policies: Readonly<Record<string, 'goes on' | 'waits' | 'decides'>> = {
  'clear-instance': 'goes on',
  'build-indexes': 'waits',
  'pair-fields': 'waits',
  'recount-class': 'goes on',
  'clear-class': 'goes on',
  'remove-files': 'goes on',
  'clear-files': 'goes on',
  'move-files': 'goes on',
  'clear-user': 'goes on',
  'remove-guest': 'goes on',
  'clear-group': 'goes on',
  'clear-channel': 'goes on',
  'trim-room': 'goes on',
  'send-push': 'waits',
  'send-mail': 'decides',
  'send-user-mail': 'decides',
  'sync-push-endpoints': 'waits',
  'close-push-application': 'goes on',
  'watch-run': 'decides',
  'clear-script': 'goes on',
  'clear-traces': 'goes on',
  'trim-traces': 'goes on',
  'run-schedule': 'decides',
  'start-triggers': 'waits',
  'clear-triggers': 'goes on',
  'clear-trigger-runs': 'goes on',
  'make-backup': 'goes on',
  'remove-backup': 'goes on',
  'restore-backup': 'waits',
  'clear-data': 'goes on',
};

describe('types of jobs', () => {
  it('are all in the table above', () => {
    expect(jobTypes.map(({ name }) => name).sort()).toEqual(Object.keys(policies).sort());
  });

  it.for(jobTypes.filter(({ name }) => policies[name] === 'waits'))(
    '$name waits, and begins no step',
    async ({ step }, { world }) => {
      await change(world, 'suspend');
      const { store } = world.api.platform;
      const context = { store } as Partial<JobContext> as JobContext; // a step would need more
      const task = { instance: await instanceId(store, world.instance) };

      expect(await step(context, task)).toEqual({ task, afterMs: suspendedJobMs });
    },
  );
});

describe('a schedule', () => {
  it('counts its times as missed, and goes on at the next one', async ({ world }) => {
    const script = await makeScript(world, 'console.log(1)');
    const { id } = expected(
      await world.own('POST', 'schedules/', { script, interval_sec: 60 }),
      201,
    );
    await passTime(world, 60);
    await change(world, 'suspend');

    for (let minute = 0; minute < 3; minute += 1) await passTime(world, 60);
    const stopped = await world.read(`schedules/${id}/`);
    const before = (await world.read(`schedules/${id}/traces/`)).objects;
    await change(world, 'resume');
    await world.api.platform.idle();
    const atOnce = (await world.read(`schedules/${id}/traces/`)).objects;
    await passTime(world, 60);
    const after = (await world.read(`schedules/${id}/traces/`)).objects;

    expect(before).toHaveLength(1);
    expect(stopped.missed).toBe(3);
    expect(atOnce).toHaveLength(1);
    expect(after).toHaveLength(2);
    expect((await world.read(`schedules/${id}/`)).missed).toBe(3);
    expected(await world.own('DELETE', `schedules/${id}/`), 204);
  });
});

describe('a run', () => {
  /** Plans a run that starts in a minute, as that of a client that does not wait. */
  async function planLater(world: World, script: number): Promise<number> {
    const { platform } = world.api;
    const instance = await instanceId(platform.store, world.instance);
    const trace = await platform.store.next(instanceCounter(instance, 'trace-script'));
    const due = clock.micros() / 1000 + 60_000;
    const run = { args: { value: { a: 1 } }, depth: 1 };
    const reference = { instance, kind: 'script', parent: script, trace } as const;
    await maintain(platform, [...planRun(platform, reference, run, due).writes]);
    return trace;
  }

  it('that has not started fails, and can be repeated afterwards with its arguments', async ({
    world,
  }) => {
    const script = await makeScript(world, 'console.log(ARGS.a)');
    const trace = await planLater(world, script);
    await change(world, 'suspend');

    await passTime(world, 61);
    const ended = await world.read(`snippets/scripts/${script}/traces/${trace}/`);
    await change(world, 'resume');
    const again = await world.own('POST', `snippets/scripts/${script}/traces/${trace}/retry/`, {});
    await world.api.platform.idle();

    expect(ended).toMatchObject({ status: 'failure', result: { stdout: '', stderr: message } });
    const { id } = expected(again, 200);
    expect(await world.read(`snippets/scripts/${script}/traces/${id}/`)).toMatchObject({
      status: 'success',
      result: { stdout: '1' },
    });
  });

  it('of a trigger is not tried again', async ({ world }) => {
    await world.dataClass('book', [{ name: 'title', type: 'string' }]);
    const script = await makeScript(world, 'throw new Error("no")', { retries: 3 });
    const trigger = await makeTrigger(world, { signal: 'create', script });
    expected(await world.own('POST', 'classes/book/objects/', { title: 'a' }), 201);
    await world.api.platform.idle();
    await change(world, 'suspend');

    for (let attempt = 0; attempt < 4; attempt += 1) await passTime(world, 20);

    const { objects } = await world.read(`triggers/${trigger}/traces/?ordering=asc`);
    expect(objects).toHaveLength(2);
    const last = await world.read(`triggers/${trigger}/traces/${objects[1].id}/`);
    expect(last).toMatchObject({ status: 'failure', result: { stderr: message } });
  });
});

describe('a job that waits', () => {
  it('is looked at every ten minutes, leaves no dead letter, and goes on afterwards', async ({
    world,
  }) => {
    await world.dataClass('song', [{ name: 'title', type: 'string' }]);
    expected(await world.own('POST', 'classes/song/objects/', { title: 'a' }), 201);
    const schema = [{ name: 'title', type: 'string', filter_index: true }];
    const changed = world.own('PATCH', 'classes/song/', { schema });
    expected(await changed, 200);
    await world.api.platform.idle();
    await world.ready('song');
    const { platform } = world.api;
    const instance = await instanceId(platform.store, world.instance);
    const task = { instance, className: 'song', classNumber: 0, epoch: 0 };
    await change(world, 'suspend');

    await maintain(platform, [newJob(platform, { name: 'build-indexes' }, task)]);
    await passTime(world, 1);
    const waiting = await jobs(world, 'build-indexes');
    await passTime(world, suspendedJobMs / 1000);
    const later = await jobs(world, 'build-indexes');
    await change(world, 'resume');
    await passTime(world, suspendedJobMs / 1000 + 1);

    expect(waiting).toHaveLength(1);
    expect(waiting[0]).toMatchObject({ claimed: false, failures: 0 });
    expect(later).toHaveLength(1);
    expect(await jobs(world, 'build-indexes')).toEqual([]);
    expect((await world.read('dead_letters/')).objects).toEqual([]);
  });

  async function jobs({ api }: World, kind: string) {
    const { store } = api.platform;
    const all = await Promise.all(jobShards.map((shard) => jobEntity.listAll(store, [shard])));
    return all.flat().flatMap(({ data }) => (data.kind === kind ? [data] : []));
  }
});

const change = ({ api, instance }: World, action: 'suspend' | 'resume') =>
  changeSuspension(api.platform, { action, instance });

/** Sets the clock, and has the background look for due jobs: its timers use the time of the machine. */
async function passTime({ api: { platform } }: World, seconds: number): Promise<void> {
  clock.forward(seconds);
  const nothing = { instance: 0, schedule: 0, time: '' };
  await maintain(platform, [newJob(platform, scheduleJob, nothing)]);
  await platform.idle();
}
