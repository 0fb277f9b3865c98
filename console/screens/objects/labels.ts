import { type Signal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { type ApiPage, ApiProblem, send } from '../../core/api.ts';
import { fetchClass } from '../data/class-data.ts';
import { maxItems, sendBatch } from './bulk/batches.ts';
import { type ClassReference, nameFields, type ObjectRecord, objectsPath } from './object-data.ts';

const waitMs = 30; // what appears together is read together

/** What people call the objects and users that values refer to; read when they are shown. */
interface Labels {
  /** Returns the label of an object, or without a class of a user; undefined while, and where, there is none. */
  readonly of: (className: string | undefined, id: number) => Signal<string | undefined>;
  /** Reads a label soon, unless the returned function is called before. */
  readonly read: (className: string | undefined, id: number) => () => void;
  /** Reads a label again that is shown: its object has changed. */
  readonly renew: (className: string, id: number) => void;
}

/** Labels of one screen: what it shows is never older than the screen. */
export const LabelsContext = createContext<Labels | undefined>(undefined);

/** Returns the label of an object, or without a class of a user, once it is read. */
export function useLabel(className: string | undefined, id: number): string | undefined {
  const labels = useContext(LabelsContext);
  useEffect(() => labels?.read(className, id), [labels, className, id]);
  return labels?.of(className, id).value;
}

/** Receives a label that was read. */
type Take = (id: number, label: string) => void;

/** Returns labels that are read with one request for each class, at most 50 at once. */
export function makeLabels(instance: string): Labels {
  const known = new Map<string, Signal<string | undefined>>();
  const wanted = new Map<string | undefined, Map<number, number>>(); // with the number of readers of each id
  const asked = new Set<string>();
  const fields = new Map<string, Promise<string | undefined>>();
  const of: Labels['of'] = (className, id) => {
    const key = keyOf(className, id);
    const label = known.get(key) ?? signal(undefined);
    known.set(key, label);
    return label;
  };
  const readClass = async (className: string, ids: readonly number[], take: Take) => {
    const field = fields.get(className) ?? readNameField(instance, className);
    fields.set(className, field);
    const name = await field;
    if (name !== undefined) await readObjects({ instance, className }, { name, ids }, take);
  };
  const forget = (className: string | undefined, ids: readonly number[]) => {
    for (const id of ids) asked.delete(keyOf(className, id));
    if (className !== undefined) fields.delete(className);
  };
  const readSome = async (className: string | undefined, ids: readonly number[]) => {
    for (const id of ids) asked.add(keyOf(className, id));
    const take: Take = (id, label) => {
      of(className, id).value = label;
    };
    const isOfUsers = className === undefined;
    const reading = isOfUsers ? readUsers(instance, ids, take) : readClass(className, ids, take);
    await reading.catch((error) => isFinal(error) || forget(className, ids));
  };
  const readWanted = () => {
    for (const [className, ids] of wanted) {
      wanted.delete(className);
      const all = [...ids.keys()];
      for (let start = 0; start < all.length; start += maxItems) {
        void readSome(className, all.slice(start, start + maxItems));
      }
    }
  };
  const read: Labels['read'] = (className, id) => {
    if (asked.has(keyOf(className, id))) return () => undefined;
    if (wanted.size === 0) setTimeout(readWanted, waitMs);
    const ids = wanted.get(className) ?? new Map<number, number>();
    wanted.set(className, ids);
    return want(ids, id);
  };
  const renew: Labels['renew'] = (className, id) => {
    if (asked.delete(keyOf(className, id))) read(className, id);
  };
  return { of, read, renew };
}

function keyOf(className: string | undefined, id: number): string {
  return `${className} ${id}`;
}

/** Adds a reader of an id; the returned function removes it. */
function want(ids: Map<number, number>, id: number): () => void {
  ids.set(id, (ids.get(id) ?? 0) + 1);
  return () => {
    const readers = (ids.get(id) ?? 0) - 1;
    if (readers > 0) ids.set(id, readers);
    else ids.delete(id);
  };
}

async function readObjects(
  place: ClassReference,
  { name, ids }: { readonly name: string; readonly ids: readonly number[] },
  take: Take,
): Promise<void> {
  const query = JSON.stringify({ id: { _in: ids } });
  const { objects } = await send<ApiPage<ObjectRecord>>({
    method: 'GET',
    path: objectsPath(place),
    query: { query, fields: `id,${name}`, page_size: ids.length },
  });
  for (const object of objects) take(object.id, String(object[name] ?? ''));
}

async function readUsers(instance: string, ids: readonly number[], take: Take): Promise<void> {
  const paths = ids.map((id) => at`/v1.1/instances/${instance}/users/${id}/`);
  const requests = paths.map((path) => ({ method: 'GET' as const, path }));
  for (const { code, content } of await sendBatch(instance, requests)) {
    if (code !== 200) continue;
    const { id, username } = content as { id: number; username: string }; // as the interface shows a user
    take(id, username);
  }
}

/**
 * Returns the field that names the objects of a class; undefined where it has none.
 *
 * @throws ApiProblem for a class that may not, or cannot, be read
 */
async function readNameField(instance: string, className: string): Promise<string | undefined> {
  return nameFields((await fetchClass(instance, className)).schema)[0];
}

/** Returns whether reading again would end in the same way: what may not be read, or is not there, has no label. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof ApiProblem)) throw error;
  return error.status === 403 || error.status === 404;
}
