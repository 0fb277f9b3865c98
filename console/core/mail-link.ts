import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { currentLocation, setQuery } from './router.ts';

type LinkValues<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/**
 * Returns values of the link in a mail that was opened last, and removes them from the address: no history and no
 * bookmark has them. Absent ones are undefined.
 */
export function useLinkValues<Name extends string>(names: readonly Name[]): LinkValues<Name> {
  const { query } = currentLocation.value;
  const opened = useRef({} as LinkValues<Name>);
  const isLink = names.some((name) => query.has(name)); // also a second one, while the screen is open
  if (isLink) {
    const entries = names.flatMap((name) => toEntry(name, query.get(name)));
    opened.current = Object.fromEntries(entries) as LinkValues<Name>;
  }
  useEffect(() => {
    if (isLink) setQuery(Object.fromEntries(names.map((name) => [name, undefined])));
  });
  return opened.current;
}

function toEntry(name: string, value: string | null): readonly (readonly [string, string])[] {
  return value === null || value === '' ? [] : [[name, value]];
}

/** Key of an invitation whose link was opened, until it is accepted: it outlives the form for the sign-in. */
export const openedInvitation = signal<string | undefined>(undefined);
