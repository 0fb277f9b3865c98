import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  openRequestQueue,
  type QueueLimits,
  type QueueResult,
  type Release,
} from '../../shared/ports/limits/request-queue.ts';

/** A clock that tests advance. */
function openAlarms() {
  let now = 0;
  let alarms: { readonly at: number; readonly run: () => void }[] = [];
  return {
    alarm: (ms: number, run: () => void) => {
      const one = { at: now + ms, run };
      alarms.push(one);
      return () => {
        alarms = alarms.filter((other) => other !== one);
      };
    },
    forward: (ms: number) => {
      now += ms;
      for (const one of alarms.filter(({ at }) => at <= now)) {
        alarms = alarms.filter((other) => other !== one);
        one.run();
      }
    },
  };
}

const wide: QueueLimits = { capacity: 2, queue: 9, queuePerOwner: 9, queuePerInstance: 9 };

/** Enters, and returns the outcome. */
function openDoor(limits: Partial<QueueLimits> = {}) {
  const alarms = openAlarms();
  const requestQueue = openRequestQueue({ ...wide, ...limits }, alarms.alarm);
  const order: string[] = [];
  const releases = new Map<string, Release>();
  const enter = async (name: string, { owner = 'a', instance = '1', waitMs = 1000 } = {}) => {
    const entry = await requestQueue.enter({ owner, instance, waitMs });
    order.push(typeof entry === 'string' ? `${name} ${entry}` : name);
    if (typeof entry !== 'string') releases.set(name, entry);
  };
  return {
    ...alarms,
    gate: requestQueue,
    order,
    enter,
    release: (name: string) => releases.get(name)?.(),
  };
}

const settled = () => new Promise(setImmediate);

describe('a gate', () => {
  it('admits without a promise where there is capacity', () => {
    const { gate: requestQueue } = openDoor();

    const entries = [1, 2, 3].map(() =>
      requestQueue.enter({ owner: 'a', instance: '1', waitMs: 1 }),
    );

    expect(entries.map((entry) => typeof entry)).toEqual(['function', 'function', 'object']);
  });

  it('takes owners in turn, then their instances, then by age', async () => {
    const { enter, release, order } = openDoor({ capacity: 1 });
    const names = ['a1-1', 'a1-2', 'a1-3', 'a2-1', 'b1-1', 'b1-2'];

    const all = names.map((name) => enter(name, { owner: name[0] ?? '', instance: name[1] ?? '' }));
    for (const _ of names) {
      await settled();
      release(order.at(-1) ?? '');
    }
    await Promise.all(all);

    expect(order).toEqual(['a1-1', 'a1-2', 'b1-1', 'a2-1', 'b1-2', 'a1-3']);
  });

  it('rejects when too many wait, and drops requests that waited too long', async () => {
    const { enter, forward, order } = openDoor({ capacity: 1, queuePerInstance: 1 });

    const all = ['in', 'waits', 'refused'].map((name) => enter(name));
    await settled();
    forward(1000);
    await all[1];

    expect(order).toEqual(['in', 'refused full', 'waits late']);
  });

  it('counts its own limits for an instance and an owner, and lets others pass those over them', async () => {
    const { enter, order } = openDoor({ capacity: 9, perOwner: 3, perInstance: 2 });

    for (const instance of ['1', '1', '1', '2', '2']) void enter(instance, { instance });
    void enter('b', { owner: 'b' });
    await settled();

    expect(order).toEqual(['1', '1', '2', 'b']);
  });

  it('counts a release once', async () => {
    const { enter, order, release } = openDoor({ capacity: 1 });

    for (const name of ['first', 'second', 'third']) void enter(name);
    await settled();
    release('first');
    release('first');
    await settled();

    expect(order).toEqual(['first', 'second']);
  });
});

type Step =
  | {
      readonly kind: 'enter';
      readonly owner: string;
      readonly instance: string;
    }
  | { readonly kind: 'release'; readonly which: number }
  | { readonly kind: 'wait' };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('enter' as const),
        owner: fc.constantFrom('a', 'b', 'c'),
        instance: fc.constantFrom('1', '2'),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('release' as const), which: fc.nat(9) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const) }) },
  ),
  { maxLength: 80 },
);

const limits = {
  capacity: 4,
  perOwner: 3,
  perInstance: 2,
  queue: 7,
  queuePerOwner: 5,
  queuePerInstance: 3,
};
const patienceMs = 100;

interface Guest {
  readonly owner: string;
  readonly instance: string;
  at: number;
  entry: QueueResult | undefined;
}

/** Admitted and waiting requests, recorded separately from the gate. */
function openModel() {
  const alarms = openAlarms();
  const requestQueue = openRequestQueue(limits, alarms.alarm);
  const guests: Guest[] = [];
  let now = 0;
  /** Times that an owner was admitted while another one waited and could have been, since that was last admitted. */
  const passed = new Map<string, number>();
  const wrong: string[] = [];

  const inside = () => guests.filter(({ entry }) => typeof entry === 'function');
  const waiting = () => guests.filter(({ entry }) => entry === undefined);
  const ofOwner = (all: readonly Guest[], { owner }: Pick<Guest, 'owner'>) =>
    all.filter((guest) => guest.owner === owner);
  const ofInstance = (all: readonly Guest[], guest: Pick<Guest, 'owner' | 'instance'>) =>
    ofOwner(all, guest).filter(({ instance }) => instance === guest.instance);
  const hasRoom = (guest: Guest, all = inside()) =>
    ofOwner(all, guest).length < limits.perOwner &&
    ofInstance(all, guest).length < limits.perInstance;

  function countPassed(guest: Guest, owner: string): void {
    const name = `${guest.owner} before ${owner}`;
    const others = inside().filter((other) => other !== guest);
    const couldGo = ofOwner(waiting(), { owner }).some((other) => hasRoom(other, others));
    const times = couldGo ? (passed.get(name) ?? 0) + 1 : 0;
    passed.set(name, times);
    passed.set(`${owner} before ${guest.owner}`, 0);
    if (times > 1) wrong.push(`${name} twice`);
  }

  function admitted(guest: Guest): void {
    for (const owner of ['a', 'b', 'c']) if (owner !== guest.owner) countPassed(guest, owner);
    const older = ofInstance(waiting(), guest).filter(({ at }) => at < guest.at);
    if (older.length > 0) wrong.push('not the oldest of its instance');
  }

  function hear(guest: Guest, entry: QueueResult): void {
    guest.entry = entry;
    if (typeof entry === 'function') admitted(guest);
    if (entry === 'full') {
      const isFull =
        waiting().length >= limits.queue ||
        ofOwner(waiting(), guest).length >= limits.queuePerOwner ||
        ofInstance(waiting(), guest).length >= limits.queuePerInstance;
      if (!isFull) wrong.push('refused though there is room in the queue');
    }
  }

  async function run(step: Step): Promise<void> {
    now += 1;
    switch (step.kind) {
      case 'enter': {
        const { owner, instance } = step;
        const guest: Guest = {
          owner,
          instance,
          at: now,
          entry: undefined,
        };
        guests.push(guest);
        const entry = requestQueue.enter({ owner, instance, waitMs: patienceMs });
        if (entry instanceof Promise) void entry.then((told) => hear(guest, told));
        else hear(guest, entry);
        break;
      }
      case 'release': {
        const guest = inside()[step.which];
        if (guest === undefined) break;
        const { entry } = guest;
        guests.splice(guests.indexOf(guest), 1);
        if (typeof entry === 'function') entry();
        break;
      }
      case 'wait':
        alarms.forward(patienceMs / 2);
        break;
    }
    await settled();
    check();
  }

  function check(): void {
    expect(wrong).toEqual([]);
    expect(inside().length).toBeLessThanOrEqual(limits.capacity);
    expect(waiting().length).toBe(requestQueue.waiting);
    expect(requestQueue.waiting).toBeLessThanOrEqual(limits.queue);
    // no capacity is idle while a request waits that may use it
    const ready = waiting().filter((guest) => hasRoom(guest));
    if (ready.length > 0) expect(inside().length).toBe(limits.capacity);
  }

  return { run, inside, waiting };
}

describe('any sequence of requests', () => {
  it('respects limits, passes no owner twice, and leaves no request waiting', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const model = openModel();

        for (const step of all) await model.run(step);
        for (let n = 0; n <= 200 && model.inside().length > 0; n += 1) {
          await model.run({ kind: 'release', which: 0 });
        }

        expect([model.inside(), model.waiting()]).toEqual([[], []]);
      }),
      { numRuns: 200 },
    );
  });
});
