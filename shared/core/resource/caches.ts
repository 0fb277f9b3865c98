import type { CompiledClass } from '../../classes/rules/compiled-class.ts';
import type { FileStore } from '../../platform/ports.ts';
import type { ParsedQuery } from '../../search/query/conditions.ts';
import type { Key } from '../../store/store.ts';
import type { KeyClaims } from '../pipeline/credentials.ts';

/**
 * What a process remembers of names, to spare the read that finds them out. Never trusted: whoever uses a hint
 * reads in the same step the record that proves it, and asks again when it was wrong.
 */
export interface Hints {
  /** Instance ids by instance name. */
  readonly instances: Hint<string, number>;
  /** Class numbers by `<instance id>/<class name>`. */
  readonly classes: Hint<string, number>;
  /** What records lead to, by their place, see {@link bindingHint}. */
  readonly bindings: Hint<string, Binding>;
  /** What genuine keys say, by their text: spares the MAC, not the record, which is read at every call. */
  readonly keys: Hint<string, KeyClaims>;
  /** Classes made ready, by the version of their record: not a hint but a fact, which no change can make wrong. */
  readonly compiled: Hint<string, CompiledClass>;
  /** Filters as parsed, by the version of the class's record and their texts: facts as well. */
  readonly queries: Hint<string, ParsedQuery>;
  /** How the last search of a form came to its end, by that form. */
  readonly ways: Hint<string, Way>;
  /** Keys that lists read in vain for want of a pair of fields, by class and pair. */
  readonly wasted: Hint<string, number>;
  /** Where public files are served, for the classes made ready. */
  readonly filesAt: () => string;
}

/** What a record that a call comes by leads to: a data endpoint to a class, a script endpoint to a script. */
export interface Binding {
  readonly className?: string;
  /** Name of a script endpoint that bears a public link. */
  readonly endpoint?: string;
  readonly script?: number;
}

/** A way to objects that were searched for. */
export interface Way {
  /** Name of the path that was the first to have them. */
  readonly path: string;
  /** Objects that were looked at on it. */
  readonly used: number;
}

/** A bounded memory; it forgets everything when it is full, which costs a few reads and no bookkeeping. */
export interface Hint<Name, Value> {
  get(name: Name): Value | undefined;
  set(name: Name, value: Value | undefined): void;
}

const maxHints = 10_000;

/** Makes the hints of a process, empty. */
export function createHints(files: Pick<FileStore, 'address'>): Hints {
  return {
    filesAt: files.address,
    instances: createHint(),
    classes: createHint(),
    bindings: createHint(),
    keys: createHint(),
    compiled: createHint(),
    queries: createHint(),
    ways: createHint(),
    wasted: createHint(),
  };
}

/** Makes a memory of at most {@link maxHints} entries; setting undefined forgets. */
export function createHint<Name, Value>(): Hint<Name, Value> {
  const entries = new Map<Name, Value>();
  return {
    get: (name) => entries.get(name),
    set: (name, value) => {
      if (value === undefined) {
        entries.delete(name);
        return;
      }
      if (entries.size >= maxHints) entries.clear();
      entries.set(name, value);
    },
  };
}

/** Name of the hint that a record at this place gives. */
export function bindingHint({ pk, sk }: Key): string {
  return `${pk}/${sk}`;
}

/** Name of a class hint. */
export function classHint(instance: number, className: string): string {
  return `${instance}/${className}`;
}
