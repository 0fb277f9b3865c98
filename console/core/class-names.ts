import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { at } from '../../shared/values/text/request-path.ts';
import { readAll } from './api.ts';
import { lens } from './session.ts';

/** Rises with each change of the classes of an instance that the console made. */
const changes = signal(0);
const listed = signal<{ readonly instance: string; readonly names: readonly string[] }>();

/** Has the list of classes in the side bar read again: a class was created or deleted, or a backup restored. */
export function noteChangedClasses(): void {
  changes.value += 1;
}

/** Returns the names of the classes of an instance, in order; none before they are read, and where they may not be. */
export function useClassNames(instance: string): readonly string[] {
  const view = lens.value?.instance === instance ? lens.value : undefined;
  useEffect(() => {
    let isCurrent = true;
    const show = (names: readonly string[]) => {
      if (isCurrent) listed.value = { instance, names };
    };
    readClassNames(instance).then(show, () => show([])); // the screens say why
    return () => {
      isCurrent = false;
    };
  }, [instance, view, changes.value]);
  return listed.value?.instance === instance ? listed.value.names : [];
}

/** Reads the names of the classes of an instance, in order. */
export async function readClassNames(instance: string): Promise<readonly string[]> {
  const path = at`instances/${instance}/classes/`;
  const all = await readAll<{ readonly name: string }>(path, { fields: 'name', page_size: 100 });
  return all.map(({ name }) => name).sort();
}
