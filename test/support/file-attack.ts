import type { FileKey } from '../../shared/values/file-keys.ts';
import { type Api, expected, type World } from './api.ts';
import { ownedKey } from './has-file.ts';
import { makeScript, makeTrigger } from './triggers.ts';

/** A file of an instance: the object that has it, and the address of its content. */
export interface StoredFile {
  readonly self: string;
  readonly url: string;
}

/** Creates a class with a file field, and an object with a file. */
export async function storeFile(
  { api, owner, dataClass }: World,
  name = 'scan',
): Promise<StoredFile> {
  const path = `${await dataClass(name, [{ name: 'f', type: 'file' }])}objects/`;
  const body = new FormData();
  body.append('f', new Blob(['content']), 'a.txt');
  const made = expected(await api.send({ as: owner, method: 'POST', path, body }), 201);
  return { self: made.links.self, url: made.f.value };
}

/** Returns the key of a file by its address. */
export function keyAt(url: string): FileKey {
  return ownedKey(`public/${url.split('/').slice(-3).join('/')}`).key;
}

/** Returns the status of a download. */
export async function downloadStatus(url: string): Promise<number> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status;
}

/**
 * Has texts taken for keys of files: objects of a class hold them in a field that has the storage name of a file field
 * of another class, and one transaction gives both classes the same version. Then deletes the objects.
 */
export async function deleteTextsAsFiles(
  { api, base, call, owner, dataClass }: World,
  texts: readonly string[],
): Promise<void> {
  await dataClass('a', [{ name: 'f', type: 'file' }]);
  const objects = `${await dataClass('b', [{ name: 'f', type: 'text' }])}objects/`;
  const made = await Promise.all(
    texts.map(async (f) => expected(await sendTo(api, owner, objects, { f }), 201)),
  );
  const script = await makeScript({ call, owner }, '1');
  const trigger = await makeTrigger({ call, owner }, { signal: 'create', class: 'a', script });
  expected(await call(owner, 'PATCH', `triggers/${trigger}/`, { class: 'b' }), 200);
  expected(await api.send({ as: owner, path: `${base}classes/a/objects/` }), 200);
  for (const { id } of made) {
    expected(await api.send({ as: owner, method: 'DELETE', path: `${objects}${id}/` }), 204);
  }
  await api.platform.idle();
}

function sendTo(api: Api, as: string, path: string, body: unknown) {
  return api.send({ as, method: 'POST', path, body });
}
