import type { ScriptRuntime } from './script-runner.ts';

/** What a script may be written for: its language, and whether the name stands for another one and is not listed. */
export interface RuntimeName {
  readonly runtime: ScriptRuntime;
  readonly isAlias?: true;
  /** Version of the libraries that the name once promised; null: it promised none. */
  readonly libraryVersion: string | null;
  readonly isDeprecated?: true;
}

/**
 * All names of runtimes (docs/reference/scripts.md#runtimes): those of one language run alike, whatever they once
 * meant.
 */
export const runtimeNames: Readonly<Record<string, RuntimeName>> = {
  'nodejs_library_v0.4': { runtime: 'node', libraryVersion: '0.4', isDeprecated: true },
  'nodejs_library_v1.0': { runtime: 'node', libraryVersion: '1.0' },
  nodejs_v6: { runtime: 'node', libraryVersion: null },
  nodejs_v8: { runtime: 'node', libraryVersion: null },
  nodejs_v12: { runtime: 'node', libraryVersion: null },
  nodejs: { runtime: 'node', libraryVersion: '0.4', isAlias: true },
  'python_library_v4.2': { runtime: 'python', libraryVersion: '4.2', isDeprecated: true },
  'python_library_v5.0': { runtime: 'python', libraryVersion: '5.0' },
  python3: { runtime: 'python', libraryVersion: null },
  python: { runtime: 'python', libraryVersion: '4.2', isAlias: true },
};

/** The language of a runtime's name. Throws Error for a name that no script can have. */
export function runtimeOf(name: string): ScriptRuntime {
  const found = runtimeNames[name];
  if (found === undefined) throw new Error(`no runtime ${name}`);
  return found.runtime;
}
