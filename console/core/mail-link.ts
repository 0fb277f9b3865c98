import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { currentLocation, setQuery } from './router.ts';

/**
 * Returns values of a link in a mail, and removes them from the address: no history and no bookmark has them. Absent ones
 * are undefined.
 */
export function useLinkValues<Name extends string>(
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const [values] = useState(() => {
    const { query } = currentLocation.peek();
    return Object.fromEntries(names.flatMap((name) => toEntry(name, query.get(name)))) as Partial<
      Record<Name, string>
    >;
  });
  useEffect(() => setQuery(Object.fromEntries(names.map((name) => [name, undefined]))), []);
  return values;
}

function toEntry(name: string, value: string | null): readonly (readonly [string, string])[] {
  return value === null || value === '' ? [] : [[name, value]];
}

/** Key of an invitation whose link was opened, until it is accepted: it outlives the form for the sign-in. */
export const openedInvitation = signal<string | undefined>(undefined);
