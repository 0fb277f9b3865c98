import { type Signal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { at, joinPaths } from '../../../shared/values/text/request-path.ts';
import { type ApiPage, ApiProblem, send } from '../../core/api.ts';
import { fetchClass } from '../data/class-data.ts';
import { maxItems, sendBatch } from './bulk/batches.ts';
import { nameFields, type ObjectRecord, objectsPath } from './object-data.ts';

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

/** Returns labels that are read with one request for each class, at most 50 at once. */
export function makeLabels(instance: string): Labels {
  const known = new Map<string, Signal<string | undefined>>();
  const wanted = new Map<string | undefined, Set<number>>();
  const fields = new Map<string, Promise<string | undefined>>();
  const of: Labels['of'] = (className, id) => {
    const key = keyOf(className, id);
    const label = known.get(key) ?? signal(undefined);
    known.set(key, label);
    return label;
  };
  const readClass = async (className: string, ids: readonly number[]) => {
    const field = fields.get(className) ?? readNameField(instance, className);
    fields.set(className, field);
    const name = await field;
    if (name === undefined) return;
    const query = JSON.stringify({ id: { _in: ids } });
    const { objects } = await send<ApiPage<ObjectRecord>>({
      method: 'GET',
      path: objectsPath({ instance, className }),
      query: { query, fields: `id,${name}`, page_size: ids.length },
    });
    for (const object of objects) of(className, object.id).value = String(object[name] ?? '');
  };
  const readUsers = async (ids: readonly number[]) => {
    const paths = ids.map((id) => joinPaths(at`/v1.1/`, at`instances/${instance}/users/${id}/`));
    const entries = await sendBatch(
      instance,
      paths.map((path) => ({ method: 'GET', path })),
    );
    for (const { code, content } of entries) {
      if (code !== 200) continue;
      const { id, username } = content as { id: number; username: string }; // as the interface shows a user
      of(undefined, id).value = username;
    }
  };
  const readWanted = () => {
    for (const [className, ids] of wanted) {
      wanted.delete(className);
      const all = [...ids];
      for (let start = 0; start < all.length; start += maxItems) {
        const part = all.slice(start, start + maxItems);
        const reading = className === undefined ? readUsers(part) : readClass(className, part);
        reading.catch(ignoreProblem);
      }
    }
  };
  const read: Labels['read'] = (className, id) => {
    const ids = wanted.get(className) ?? new Set();
    if (wanted.size === 0) setTimeout(readWanted, waitMs);
    wanted.set(className, ids.add(id));
    return () => ids.delete(id);
  };
  const renew: Labels['renew'] = (className, id) => {
    if (known.has(keyOf(className, id))) read(className, id);
  };
  return { of, read, renew };
}

function keyOf(className: string | undefined, id: number): string {
  return `${className} ${id}`;
}

/** Returns the field that names the objects of a class; undefined where the class may not be read. */
async function readNameField(instance: string, className: string): Promise<string | undefined> {
  try {
    return nameFields((await fetchClass(instance, className)).schema)[0];
  } catch (error) {
    return ignoreProblem(error);
  }
}

/** Values are shown without a label where it may not, or cannot, be read. */
function ignoreProblem(error: unknown): undefined {
  if (!(error instanceof ApiProblem)) throw error;
}
