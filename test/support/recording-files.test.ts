import { describe, expect, it } from 'vitest';
import { jobTypes } from '../../functions/jobs.ts';
import type { LocalFiles } from '../../shared/platforms/local/files/files.ts';
import { openIds } from '../../shared/ports/ids.ts';
import {
  accountOwner,
  archiveFiles,
  chunkKey,
  dataOwner,
  deploymentOwner,
  type FileFolder,
  type FileKey,
  type FileOwner,
  letterFileKey,
  newFileKey,
  objectFiles,
} from '../../shared/values/file-keys.ts';
import { drainedJobs } from './drain-file-jobs.ts';
import { openFileRecorder } from './recording-files.ts';

const content = { bytes: new Uint8Array(), contentType: 'text/plain' };
const terms = { contentType: 'text/plain', maxBytes: 1, seconds: 1 };
const own = () => newFileKey(objectFiles(1, 2), openIds());
const owner = dataOwner(1);
const unmade = `public/1/2/${'e'.repeat(40)}` as FileKey; // by nobody

describe('a recorder passes on', () => {
  it('what an owner does with its own files', async () => {
    const { done, files } = careless();
    const recorder = openFileRecorder();
    const port = recorder.wrap(files);
    const [key, archive] = [own(), archiveFiles(3, 1)];

    await port.put(owner, key, content);
    await port.openUpload(owner, key, terms);
    await port.copy({ owner, key }, { owner: archive.owner, key: chunkKey(archive, 0) });
    await port.remove(owner, [key]);
    await port.remove(deploymentOwner, [letterFileKey('a'.repeat(24))]);
    await port.removeAll(objectFiles(1));
    await port.removeAll(archive);

    expect(done).toHaveLength(7);
    expect(recorder.take()).toEqual([]);
    recorder.check();
  });
});

describe('a recorder fails for', () => {
  const wrong: readonly (readonly [string, FileOwner, () => string])[] = [
    ['a file of another instance', dataOwner(2), own],
    ['a file of an instance with the id of the account', accountOwner(1), own],
    ['a file of a tenant, by the deployment', deploymentOwner, own],
    ['an area', owner, () => 'public'],
    ['backups', owner, () => 'backups'],
    ['the folder of an instance', owner, () => 'public/1'],
    ['the folder of a class', owner, () => 'public/1/2'],
    ['the same with a slash', owner, () => 'public/1/2/'],
    ['a way up', owner, () => '../x'],
    ['an empty text', owner, () => ''],
    ['a key that was never made', owner, () => unmade],
  ];

  it.each(wrong)('%s', async (_, of, make) => {
    const key = make() as FileKey; // of this owner it is not
    const { done, files } = careless();
    const recorder = openFileRecorder();
    const port = recorder.wrap(files);
    const good = { owner, key: own() };

    await expect(port.put(of, key, content)).rejects.toThrow();
    await expect(port.remove(of, [key])).rejects.toThrow();
    await expect(
      port.remove(owner, [good.key, ...(of === owner ? [key] : [unmade])]),
    ).rejects.toThrow();
    await expect(port.copy(good, { owner: of, key })).rejects.toThrow();
    await expect(port.openUpload(of, key, terms)).rejects.toThrow();
    await expect(port.receive({ owner: of, key }, '', (async function* () {})())).rejects.toThrow();

    expect(done).toEqual([]);
    expect(() => recorder.check()).toThrow('files of others');
    expect(recorder.take()).toHaveLength(6);
    recorder.check();
  });

  const folders: readonly (readonly [string, unknown])[] = [
    ['an area of another kind of owner', { area: 'backups', owner, numbers: [] }],
    ['all dead letters', { area: 'dead-letters', owner: deploymentOwner, numbers: [] }],
    ['an owner without id', { area: 'public', owner: { kind: 'data' }, numbers: [] }],
    ['a text', { area: 'public', owner, numbers: ['..'] }],
  ];

  it.each(folders)('the deletion of %s', async (_, folder) => {
    const { done, files } = careless();
    const recorder = openFileRecorder();

    await expect(recorder.wrap(files).removeAll(folder as FileFolder)).rejects.toThrow();

    expect(done).toEqual([]);
    expect(recorder.take()).toHaveLength(1);
  });
});

it('every job type says whether a test waits for its deletions', () => {
  expect(Object.keys(drainedJobs).sort()).toEqual(jobTypes.map(({ name }) => name).sort());
});

/** A store that takes everything, as that of 0.1.0 did, and lists what it did. */
function careless() {
  const done: unknown[] = [];
  const act = async (...call: readonly unknown[]) => void done.push(call);
  const files = {
    put: act,
    copy: act,
    remove: act,
    removeAll: act,
    openUpload: act,
    receive: act,
  } as unknown as LocalFiles; // the functions that a recorder wraps
  return { done, files };
}
