import { Undefined, type Value } from './values.ts';

/** Variables that are visible in a part of a template: its own and those of the outer scopes. */
export interface Scope {
  get(name: string): Value;
  set(name: string, value: Value): void;
  /** Creates an inner scope, whose variables are not visible in this one. */
  inner(): Scope;
}

/** Creates the outermost scope. */
export function createScope(values: Iterable<readonly [string, Value]>): Scope {
  return scopeOf(new Map(values), undefined);
}

type Names = Map<string, Value>;
interface Level {
  readonly names: Names;
  readonly outer: Level | undefined;
}

function scopeOf(names: Names, outer: Level | undefined): Scope {
  const level: Level = { names, outer };
  return {
    get: (name) => {
      for (let at: Level | undefined = level; at !== undefined; at = at.outer) {
        const value = at.names.get(name);
        if (value !== undefined) return value;
      }
      return new Undefined(`'${name}' is undefined`);
    },
    set: (name, value) => {
      names.set(name, value);
    },
    inner: () => scopeOf(new Map(), level),
  };
}
