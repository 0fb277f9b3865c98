import { describe, expect, test } from 'vitest';
import type { FileStore } from '../../shared/platform/ports.ts';
import { hasFile } from '../support/has-file.ts';

const bytes = (text: string) => new Uint8Array(Buffer.from(text));

/** Tests for every store of files. */
export function filesConform(name: string, store: () => FileStore): void {
  describe(name, () => {
    const png = { bytes: bytes('\u0000PNG'), contentType: 'image/png' };
    const text = { bytes: bytes('text'), contentType: 'text/plain' };

    async function read(key: string) {
      const found = await store().get(key);
      return found && { ...found, bytes: new Uint8Array(found.bytes) };
    }

    test('returns the bytes that were put, with their type', async () => {
      await store().put('public/1/1/a.png', png);

      expect(await read('public/1/1/a.png')).toEqual(png);
      expect(await store().size('public/1/1/a.png')).toBe(png.bytes.length);
    });

    test('returns nothing for a missing file', async () => {
      expect(await store().get('public/1/1/none')).toBeUndefined();
      expect(await hasFile(store(), 'public/1/1/none')).toBe(false);
      expect(await hasFile(store(), 'public/1')).toBe(false);
      expect(await store().copy('public/1/1/none', 'public/1/1/copy')).toBe(false);
      expect(await hasFile(store(), 'public/1/1/copy')).toBe(false);
    });

    test('a put replaces the file', async () => {
      await store().put('private/a', png);
      await store().put('private/a', text);

      expect(await read('private/a')).toEqual(text);
    });

    test('an empty file exists', async () => {
      const empty = { bytes: bytes(''), contentType: 'text/plain' };
      await store().put('private/empty', empty);

      expect(await read('private/empty')).toEqual(empty);
    });

    test('a copy has the type, and outlives its source', async () => {
      await store().put('uploads/1/1/b.png', png);

      const copied = await store().copy('uploads/1/1/b.png', 'public/1/1/b.png');
      await store().remove(['uploads/1/1/b.png']);

      expect(copied).toBe(true);
      expect(await read('public/1/1/b.png')).toEqual(png);
    });

    test('deletes the given files, whether they exist or not', async () => {
      await store().put('private/x', text);
      await store().put('private/y', text);

      await store().remove(['private/x', 'private/none']);
      await store().remove([]);

      expect([await hasFile(store(), 'private/x'), await hasFile(store(), 'private/y')]).toEqual([
        false,
        true,
      ]);
    });

    test('deletes all files below a prefix and no others', async () => {
      const inside = ['a', 'b', 'c', 'd', 'e'].map((each) => `public/7/1/${each}`);
      for (const key of [...inside, 'public/7/12/f', 'public/71/1/g']) await store().put(key, text);

      await store().removeAll('public/7/1/');
      const left = await Promise.all(
        [...inside, 'public/7/12/f', 'public/71/1/g'].map((key) => hasFile(store(), key)),
      );
      await store().removeAll('public/7/');
      await store().removeAll('public/none/');

      expect(left).toEqual([false, false, false, false, false, true, true]);
      expect(await hasFile(store(), 'public/7/12/f')).toBe(false);
      expect(await hasFile(store(), 'public/71/1/g')).toBe(true);
    });

    test('an invalid prefix is a server error', async () => {
      await expect(store().removeAll('public/7')).rejects.toThrow('ends in a slash');
    });

    test('has an address without a slash at its end', () => {
      expect(store().address()).toMatch(/^https?:\/\/.*[^/]$/);
    });
  });
}
