import { hash } from 'bcryptjs';
import { test as base, describe, expect } from 'vitest';
import { hashAside } from '../../shared/accounts/rules/hash-aside.ts';
import { hashPassword, isPassword } from '../../shared/accounts/rules/passwords.ts';
import { openPasswordThreads } from '../../shared/platforms/local/password-threads.ts';

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
const it = base.extend('threads', ({}, { onCleanup }) => {
  const threads = openPasswordThreads();
  onCleanup(() => threads.close());
  return threads;
});

const cost = 10;
const share = { owner: 'a', instance: '' };

describe('the threads', () => {
  it('create the same hashes as scrypt', async ({ threads: { run } }) => {
    const text = await hashPassword('café', cost, (job) => run(job, share));
    const back = await hashPassword('café', cost, hashAside);

    const checks = [
      isPassword('café', text, hashAside),
      isPassword('café', back, (job) => run(job, share)),
    ];
    expect(await Promise.all(checks)).toEqual([true, true]);
  });

  it('create the same hashes as bcrypt', async ({ threads: { run } }) => {
    const text = await hash('caf\u00e9', '$2b$04$R9h/cIPz0gi.URNNX3kh2O');

    const checks = ['caf\u00e9', 'cafe\u0301'].map((password) =>
      isPassword(password, text, (job) => run(job, share)),
    );

    expect(await Promise.all(checks)).toEqual([true, false]);
  });

  it('return its own result to each of many concurrent jobs', async ({ threads: { run } }) => {
    const names = Array.from({ length: 40 }, (_, n) => `password ${n}`);

    const texts = await Promise.all(
      names.map((name) => hashPassword(name, cost, (job) => run(job, share))),
    );
    const checks = texts.map((text, n) => isPassword(names[n] ?? '', text, hashAside));

    expect(new Set(await Promise.all(checks))).toEqual(new Set([true]));
  });

  it('reject jobs over the limit of one caller, and accept those of others', async ({
    threads: { run },
  }) => {
    const hash = (owner: string) =>
      hashPassword('p', cost, (job) => run(job, { owner, instance: '' }));

    const ended = await Promise.allSettled([
      ...Array.from({ length: 80 }, () => hash('a')),
      hash('b'),
    ]);

    const refused = ended.filter(({ status }) => status === 'rejected');
    expect([refused.length, ended.at(-1)?.status]).toEqual([80 - 2 - 64, 'fulfilled']);
    expect(refused[0]).toMatchObject({ reason: { status: 503, headers: { 'Retry-After': '2' } } });
  });

  it('reject jobs over the limit of one owner with several instances', async ({
    threads: { run },
  }) => {
    const hash = (instance: string) =>
      hashPassword('p', cost, (job) => run(job, { owner: 'a', instance }));

    const ended = await Promise.allSettled(
      Array.from({ length: 140 }, (_, n) => hash(String(n % 4))),
    );

    const refused = ended.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBe(140 - 2 - 128);
  });

  it('continue after a job that fails', async ({ threads: { run } }) => {
    await expect(hashPassword('p', 30, (job) => run(job, share))).rejects.toThrow();

    expect(await hashPassword('p', cost, (job) => run(job, share))).toMatch(/^scrypt/);
  });

  it('reject all waiting jobs when they are closed', async ({ threads: { run, close } }) => {
    const going = Promise.allSettled(
      Array.from({ length: 20 }, () => hashPassword('p', 14, (job) => run(job, share))),
    );

    await close();
    const ended = await going;

    for (const one of ended) expect(one).toMatchObject({ reason: { status: 503 } });
  });
});
