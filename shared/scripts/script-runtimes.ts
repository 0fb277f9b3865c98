import type { ScriptRuntime } from '../ports/script-runner.ts';

/** Name of a runtime: its language, and whether it is an unlisted alias. */
export interface RuntimeName {
  readonly runtime: ScriptRuntime;
  readonly isAlias?: true;
  /** Version of the libraries that the name once included; null: none. */
  readonly libraryVersion: string | null;
  readonly isDeprecated?: true;
}

/**
 * All names of runtimes (docs/reference/scripts.md#runtimes): those of one language run alike, whatever their former
 * meaning.
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

/** Returns the language of a runtime. Throws Error for a name that no script can have. */
export function runtimeOf(name: string): ScriptRuntime {
  const found = runtimeNames[name];
  if (found === undefined) throw new Error(`no runtime ${name}`);
  return found.runtime;
}

/** Maximum characters of a script's source (docs/reference/scripts.md#record). */
export const maxSource = 3_145_728;
