import { describe, expect } from 'vitest';
import type { FileStore } from '../../shared/ports/file-store.ts';
import {
  archiveFiles,
  dataOwner,
  deploymentOwner,
  type FileFolder,
  type FileKey,
  type FileOwner,
  newFileKey,
  objectFiles,
  sourceFiles,
  traceFiles,
  uploadedFiles,
} from '../../shared/values/file-keys.ts';
import { hasFile, ownedKey } from '../support/has-file.ts';

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const name = (letter: string) => letter.repeat(40);
const owner = dataOwner(1);
const keyOf = (text: string) => ownedKey(text).key;

/** Texts that are not the key of a file of the instance 1, which a store must not accept whatever their type says. */
export const foreignTexts: readonly string[] = [
  '',
  '.',
  '..',
  '../x',
  '/etc/passwd',
  'public',
  'public/',
  'public/1',
  'public/1/1',
  'public/1/1/',
  'public/1/1/a.png',
  `public/1/1/${name('a')}/`,
  `public/1/1/${name('a')}.PNG`,
  `public/1/1/${name('a')}\n`,
  `public/1/1/${name('a')}\u0000`,
  `public/01/1/${name('a')}`,
  `public/1/1/../1/${name('a')}`,
  `public/1/%2e%2e/${name('a')}`,
  `/public/1/1/${name('a')}`,
  `public\\1\\1\\${name('a')}`,
  `public/2/1/${name('a')}`,
  `private/2/1/${name('a')}`,
  `private/1/${name('a')}`,
  `Private/1/1/${name('a')}`,
  `public/private/1/1/${name('a')}`,
  `uploads/2/1/0/${name('a')}`,
  `scripts/2/1/${name('a')}`,
  `traces/2/${name('a')}`,
  'private',
  'uploads',
  'scripts',
  'traces',
  'backups',
  'backups/1',
  'backups/1/1/manifest',
  'backups/1/1/items/0',
  'dead-letters',
  `dead-letters/${'a'.repeat(24)}`,
  'lambda-failures/x',
  'exports/1/x',
  'hold.1',
  'toString',
];

/** A `test` with a fixture `files`. */
interface FilesTest {
  (name: string, run: (context: { readonly files: FileStore }) => Promise<void>): void;
  for<Row>(
    rows: readonly Row[],
  ): (
    name: string,
    run: (row: Row, context: { readonly files: FileStore }) => Promise<void>,
  ) => void;
}

/** Tests for every store of files. */
export function filesConform(title: string, test: FilesTest): void {
  describe(title, () => {
    const png = { bytes: bytes('\u0000PNG'), contentType: 'image/png' };
    const text = { bytes: bytes('text'), contentType: 'text/plain' };
    const put = (files: FileStore, key: string, file = text) => {
      const to = ownedKey(key);
      return files.put(to.owner, to.key, file);
    };

    async function read(files: FileStore, key: string) {
      const of = ownedKey(key);
      const found = await files.get(of.owner, of.key);
      return found && { ...found, bytes: new Uint8Array(found.bytes) };
    }

    test('returns the bytes that were put, with their type', async ({ files }) => {
      const key = `public/1/1/${name('a')}.png`;
      await put(files, key, png);

      expect(await read(files, key)).toEqual(png);
      expect(await files.size(owner, keyOf(key))).toBe(png.bytes.length);
    });

    test('returns nothing for a missing file', async ({ files }) => {
      const [key, copy] = [`public/1/1/${name('0')}`, `public/1/1/${name('1')}`];

      expect(await read(files, key)).toBeUndefined();
      expect(await hasFile(files, key)).toBe(false);
      expect(await files.copy(ownedKey(key), ownedKey(copy))).toBe(false);
      expect(await hasFile(files, copy)).toBe(false);
    });

    test('a put replaces the file', async ({ files }) => {
      await put(files, `traces/1/${name('a')}`, png);
      await put(files, `traces/1/${name('a')}`, text);

      expect(await read(files, `traces/1/${name('a')}`)).toEqual(text);
    });

    test('an empty file exists', async ({ files }) => {
      const empty = { bytes: bytes(''), contentType: 'text/plain' };
      await put(files, `traces/1/${name('e')}`, empty);

      expect(await read(files, `traces/1/${name('e')}`)).toEqual(empty);
    });

    test('a copy has the type, and outlives its source', async ({ files }) => {
      const [from, to] = [`uploads/1/1/0/${name('b')}.png`, `public/1/1/${name('b')}.png`];
      await put(files, from, png);

      const copied = await files.copy(ownedKey(from), ownedKey(to));
      await files.remove(owner, [keyOf(from)]);

      expect(copied).toBe(true);
      expect(await read(files, to)).toEqual(png);
    });

    test('copies to another owner, as backups do', async ({ files }) => {
      const [from, to] = [
        `public/1/1/${name('c')}.png`,
        `backups/5/2/files/public/1/${name('c')}.png`,
      ];
      await put(files, from, png);

      await files.copy(ownedKey(from), ownedKey(to));

      expect(await read(files, to)).toEqual(png);
    });

    test('deletes the given files, whether they exist or not', async ({ files }) => {
      const [one, other, none] = ['1', '2', '3'].map((each) => `scripts/1/1/${name(each)}`);
      for (const key of [one, other]) await put(files, key ?? '');

      await files.remove(owner, [keyOf(one ?? ''), keyOf(none ?? '')]);
      await files.remove(owner, []);

      expect([await hasFile(files, one ?? ''), await hasFile(files, other ?? '')]).toEqual([
        false,
        true,
      ]);
    });

    test('deletes all files of a folder and no others', async ({ files }) => {
      const inside = ['a', 'b', 'c', 'd', 'e'].map((each) => `public/7/1/${name(each)}`);
      const outside = [`public/7/12/${name('f')}`, `public/71/1/${name('9')}`];
      for (const key of [...inside, ...outside]) await put(files, key);

      await files.removeAll(objectFiles(7, 1));
      const left = await Promise.all([...inside, ...outside].map((each) => hasFile(files, each)));
      await files.removeAll(objectFiles(7));
      await files.removeAll(objectFiles(700));

      expect(left).toEqual([false, false, false, false, false, true, true]);
      expect(await Promise.all(outside.map((each) => hasFile(files, each)))).toEqual([false, true]);
    });

    test.for(foreignTexts)('%j is not a key of an instance', async (foreign, { files }) => {
      const key = foreign as FileKey; // it is not
      const own = ownedKey(`public/1/1/${name('d')}`);
      const kept = [
        own.key,
        `public/2/1/${name('a')}`,
        `scripts/2/1/${name('a')}`,
        'backups/1/1/manifest',
      ];
      for (const each of kept) await put(files, each);
      const refused = { name: 'ForeignFile' };
      const terms = { contentType: '', maxBytes: 1, seconds: 1 };

      await expect(files.put(owner, key, text)).rejects.toMatchObject(refused);
      await expect(files.get(owner, key)).rejects.toMatchObject(refused);
      await expect(files.size(owner, key)).rejects.toMatchObject(refused);
      await expect(files.copy({ owner, key }, own)).rejects.toMatchObject(refused);
      await expect(files.copy(own, { owner, key })).rejects.toMatchObject(refused);
      await expect(files.signedAddresses(owner, [own.key, key])).rejects.toMatchObject(refused);
      await expect(files.openUpload(owner, key, terms)).rejects.toMatchObject(refused);
      await expect(files.remove(owner, [own.key, key])).rejects.toMatchObject(refused);

      expect(await Promise.all(kept.map((each) => hasFile(files, each)))).toEqual([
        true,
        true,
        true,
        true,
      ]);
    });

    test('a value that is no text is not a key', async ({ files }) => {
      for (const value of [null, undefined, 1, {}, [`public/1/1/${name('a')}`]]) {
        const keys = [value as unknown as FileKey]; // it is not
        await expect(files.remove(owner, keys)).rejects.toThrow('not a file key');
      }
    });

    const folders: readonly (readonly [string, unknown])[] = [
      ['an area', { area: 'public', owner, numbers: ['..'] }],
      [
        'a text in place of the owner',
        { area: 'public', owner: { kind: 'data', id: '' }, numbers: [] },
      ],
      ['no owner', { area: 'public', owner: { kind: 'data' }, numbers: [] }],
      ['another kind of owner', { area: 'public', owner: { kind: 'account', id: 1 }, numbers: [] }],
      ['the deployment', { area: 'dead-letters', owner: deploymentOwner, numbers: [] }],
      [
        'the deployment, of files of tenants',
        { area: 'public', owner: deploymentOwner, numbers: [] },
      ],
      ['an unknown area', { area: 'toString', owner, numbers: [] }],
      ['a negative number', objectFiles(1, -1)],
      ['a fraction', objectFiles(1.5)],
      ['no number', objectFiles(Number.NaN)],
      ['more numbers than the area has', { area: 'public', owner, numbers: [1, 1] }],
    ];

    test.for(folders)('%s is not a folder', async ([_, folder], { files }) => {
      const kept = [`public/1/1/${name('d')}`, `dead-letters/${'a'.repeat(24)}`];
      for (const each of kept) await put(files, each);

      const removing = async () => files.removeAll(folder as FileFolder); // it is not
      await expect(removing()).rejects.toThrow('not a file key');

      expect(await Promise.all(kept.map((each) => hasFile(files, each)))).toEqual([true, true]);
    });

    test('each area keeps files of its owner', async ({ files }) => {
      let count = 0;
      const ids = {
        random: () => {
          count += 1;
          return String(count).padStart(24, '0');
        },
      };
      const made = [objectFiles(3, 1), uploadedFiles(3, 1, 2), sourceFiles(3, 1), traceFiles(3)];
      for (const folder of made) {
        const key = newFileKey(folder, ids);
        await put(files, key);
        await files.remove(folder.owner, [key]);
        expect(await hasFile(files, key)).toBe(false);
      }
      const archive = archiveFiles(3, 1);
      await put(files, 'backups/3/1/items/0');
      await files.removeAll(archive);
      expect(await hasFile(files, 'backups/3/1/items/0')).toBe(false);
      const letters: FileOwner = deploymentOwner;
      await put(files, `dead-letters/${'b'.repeat(24)}`);
      await files.remove(letters, [keyOf(`dead-letters/${'b'.repeat(24)}`)]);
      expect(await hasFile(files, `dead-letters/${'b'.repeat(24)}`)).toBe(false);
    });

    test('has an address without a slash at its end', async ({ files }) => {
      expect(files.address()).toMatch(/^https?:\/\/.*[^/]$/);
    });
  });
}
