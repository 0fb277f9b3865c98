import { describe, expect, it } from 'vitest';
import { openPictures } from '../../shared/platforms/local/pictures/pictures.ts';
import { pictureTypeOf } from '../../shared/runtimes/pictures/picture-type.ts';
import { startDirectly } from '../../shared/runtimes/process.ts';
import { ApiError } from '../../shared/values/errors/errors.ts';

/* The processes that make pictures smaller: how many there are, and how they end. */

/** Opens pictures whose process runs other code, after it has said that it is ready. */
function openWith(code: string) {
  const ends: Promise<unknown>[] = [];
  const ready = `require('node:fs').writeSync(3, '{"ready":true}\\n');`;
  const pictures = openPictures({
    open: async () => ({
      start: (command) => {
        expect(command.maxResidentBytes).toBe(640 * 2 ** 20);
        const started = startDirectly({ ...command, args: ['-e', ready + code] });
        ends.push(started.ended);
        return started;
      },
    }),
  });
  return { pictures, ends };
}

const large = { bytes: new Uint8Array(9), type: 'png', width: 9, height: 0 } as const;

async function errorOf(run: Promise<unknown>) {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw error;
  return error;
}

describe('a process', () => {
  it.each([
    ['that crashes', 'process.kill(process.pid, "SIGSEGV")'],
    ['that does not end in five seconds', 'setInterval(() => {}, 1000)'],
  ])(
    '%s gives 415, and is gone',
    async (_, code) => {
      const { pictures, ends } = openWith(code);
      expect((await errorOf(pictures.make(large))).code).toBe('picture_unfit');
      expect(ends).toHaveLength(1);
      await Promise.all(ends);
    },
    15_000,
  );

  it('is not started without sharp: 503 names the package', async () => {
    const none = () => {
      throw Object.assign(new Error('none'), { code: 'MODULE_NOT_FOUND' });
    };
    const pictures = openPictures({ open: () => Promise.reject(new Error('opened')) }, none);
    const error = await errorOf(pictures.inTurn(1, () => Promise.resolve()));
    expect([error.status, error.code]).toEqual([503, 'pictures_missing']);
    expect(error.body.detail).toContain('"sharp"');
  });
});

describe('the queue', () => {
  it('lets one picture of an instance and two of all be made at a time, and eight wait', async () => {
    const { pictures } = openWith('');
    let inside: number[] = [];
    const ends: (() => void)[] = [];
    const enter = (instance: number) =>
      pictures.inTurn(instance, async () => {
        inside.push(instance);
        await new Promise<void>((resolve) => ends.push(resolve));
        inside = inside.filter((each) => each !== instance);
      });
    const all = [...Array.from({ length: 9 }, () => 1), 2, 3].map(enter);
    await new Promise((resolve) => setImmediate(resolve));
    expect(inside).toEqual([1, 2]);
    expect((await errorOf(enter(1))).status).toBe(503);
    const done = Promise.all(all);
    let isDone = false;
    const marked = done.then(() => {
      isDone = true;
    });
    while (!isDone) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
      expect(inside.length).toBeLessThanOrEqual(2);
      expect(new Set(inside).size).toBe(inside.length);
    }
    await marked;
  });
});

describe('the type of a picture', () => {
  it.each([
    ['ffd8ffe0', 'jpeg'],
    ['89504e470d0a1a0a', 'png'],
    ['52494646000000005745425056', 'webp'],
    ['474946383961', 'gif'],
    ['00000020667479706176696600', 'avif'],
    ['', undefined],
    ['ffd8', undefined],
    ['52494646000000005741564500', undefined],
    ['0000002066747970686569630000', undefined],
    ['49492a00', undefined],
    ['3c737667', undefined],
    ['25504446', undefined],
  ])('of %s is %s', (hex, type) => {
    expect(pictureTypeOf(Buffer.from(hex, 'hex'))).toBe(type);
  });
});
