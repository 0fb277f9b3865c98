import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { format } from '../../shared/platforms/local/files/data-folder.ts';
import { inUnusedStore } from '../../shared/platforms/local/operations/unused-store.ts';
import { openProject } from '../commands/groundwork.ts';
import { expectStatus } from '../commands/project.ts';
import { type Api, expected, startApi } from '../support/api.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { allKinds } from './released-data.ts';
import { type Release, unpackRelease, versions } from './releases.ts';

/** The data folder, the backup and the export of each released version, with this code: test/released/README.md. */

const root = mkdtempSync(join(tmpdir(), 'groundwork-releases-'));
afterAll(() => rmSync(root, { recursive: true }));

const library = '/v1.1/instances/library/';

describe.each(versions)('version %s', (version) => {
  const folder = join(root, version);
  const release = unpackRelease(version, folder);

  test('has a data folder that a command marks as of this version', async () => {
    const own = join(folder, 'commanded');
    cpSync(join(folder, 'data'), own, { recursive: true });

    await inUnusedStore(own, async () => {});

    expect(JSON.parse(readFileSync(join(own, 'format.json'), 'utf8')).format).toBe(format);
  });

  test('has a data folder, which this version opens', async () => {
    await expectContents(await open(join(folder, 'data'), release), release);
  });

  test('has a backup, which this version restores', async () => {
    const restored = join(folder, 'restored');

    const command = ['restore', join(folder, 'backup'), '--data', restored];
    expectStatus(await openProject().run(...command), 0);

    await expectContents(await open(restored, release), release);
  });

  test('has a backup of an instance, which this version restores', async () => {
    const api = await open(join(folder, 'data'), release);
    const send = (path: string, body?: object) => api.send({ as: release.owner, path, body });
    expected(await send('/v1.1/instances/', { name: 'another' }), 201);
    const [backup] = expected(await send(`${library}backups/full/`), 200).objects;

    const { id } = expected(
      await send('/v1.1/instances/another/restores/', { backup: backup.id }),
      201,
    );
    const restore = async () =>
      expected(await send(`/v1.1/instances/another/restores/${id}/`), 200);
    while (['scheduled', 'running'].includes((await restore()).status)) await api.platform.idle();

    expect((await restore()).status).toBe('success');
    const { objects } = expected(await send('/v1.1/instances/another/classes/book/objects/'), 200);
    expect(objects).toMatchObject(objectsOf(release).map(({ title, pages }) => ({ title, pages })));
  });

  test('has an export, which this version imports', async () => {
    const api = await startApi({ clock: openMovedClock(release.writtenAt) });
    onTestFinished(() => api.close());
    const send = (as: string | undefined, path: string, body?: object) =>
      api.send({ as, path: `/v1.1/${path}`, body });
    const { account_key: owner } = expected(
      await send(undefined, 'account/register/', release.account),
      201,
    );
    expected(await send(owner, 'instances/', { name: 'library' }), 201);

    const to = ['--url', api.url, '--key', owner, '--instance', 'library'];
    expectStatus(await openProject().run('import', join(folder, 'export'), ...to), 0);

    const { objects } = expected(await send(owner, 'instances/library/classes/book/objects/'), 200);
    const kept = ({ id, title, pages, next }: Book) => ({ id, title, pages, next });
    expect(objects.map(kept)).toEqual(objectsOf(release).map(kept));
    expect(await (await fetch(objects[1].scan.value)).text()).toBe('a scan');
  });
});

describe('going back', () => {
  test('is refused where the last release does not know all kinds of items, or all files', () => {
    const folder = join(root, 'last');
    const known = new Set(unpackRelease(versions.at(-1) ?? '', folder).kinds);
    const released = JSON.parse(readFileSync(join(folder, 'data/format.json'), 'utf8')).format;

    const isNew = [...allKinds()].some((kind) => !known.has(kind));

    const isLogNew = released < 3; // the store has a log, which it must not be opened without
    expect(format).toBe(released + Number(isNew) + Number(isLogNew));
  });

  test('a backup of a newer version is refused with words', async () => {
    const backup = mkdtempSync(join(root, 'newer-'));
    writeFileSync(join(backup, 'format.json'), JSON.stringify({ format: format + 1 }));
    const { run, folder } = openProject();

    const { status, stderr } = await run('restore', backup, '--data', 'data');

    expect(status).not.toBe(0);
    expect(stderr).toContain(`the data in ${backup} is of a newer version (format ${format + 1}`);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  test('an export of a newer version is refused with words', async () => {
    const { run, folder } = openProject();
    writeFileSync(join(folder, 'export.json'), JSON.stringify({ format: 2 }));

    const of = ['--url', 'http://127.0.0.1:9', '--key', 'a', '--instance', 'library'];
    const { status, stderr } = await run('import', '.', ...of);

    expect(status).not.toBe(0);
    expect(stderr).toContain('the export in . is of a newer version of groundwork');
  });
});

interface Book {
  readonly id: number;
  readonly title: string;
  readonly pages: number | null;
  readonly next: unknown;
}

function objectsOf({ responses }: Release): readonly Book[] {
  const list = responses.find(({ path }) => path === `${library}classes/book/objects/`);
  return (list?.objects ?? []) as readonly Book[];
}

async function open(folder: string, { writtenAt }: Release): Promise<Api> {
  const api = await startApi({ folder, clock: openMovedClock(writtenAt) });
  onTestFinished(() => api.close());
  return api;
}

/** Leaves out what a backup contains, of which 0.1.1 showed more names. */
function withoutDetails(object: unknown): unknown {
  return Object.fromEntries(Object.entries(Object(object)).filter(([name]) => name !== 'details'));
}

/** Demands that lists are as the release has shown them, and that keys, passwords and files are valid. */
async function expectContents(api: Api, release: Release): Promise<void> {
  for (const { path, objects } of release.responses) {
    const { body } = await api.send({ as: release.owner, path });
    const text = JSON.stringify(body.objects).replaceAll(api.url, '<url>');
    expect({ path, objects: JSON.parse(text) }).toMatchObject({
      path,
      objects: objects.map(withoutDetails),
    });
  }
  const { body: books } = await api.send({
    as: release.owner,
    path: `${library}classes/book/objects/`,
  });
  const { account, user, apiKey } = release;
  const logIn = { path: '/v1.1/account/auth/', body: account };
  const userLogIn = { as: apiKey, path: `${library}user/auth/`, body: user };

  expect(expected(await api.send(logIn), 200).account_key).toBe(release.owner);
  expect(expected(await api.send(userLogIn), 200).username).toBe(user.username);
  expect(await (await fetch(books.objects[1].scan.value)).text()).toBe('a scan');
}
