import { expect } from 'vitest';
import type { ScriptRuntime } from '../../../shared/scripts/script-runner.ts';
import type { Sample } from '../hosts.ts';

/** The input of a script, and the result of its last run on every host. */
interface Terms extends Omit<Sample, 'source'> {
  /** Number of successive runs of the script; 1 by default. */
  readonly times?: number;
  readonly status?: 'success' | 'failure' | 'timeout';
  /** Empty by default, as `stderr`. */
  readonly stdout?: unknown;
  readonly stderr?: unknown;
  /** Absent when the run has no custom response. */
  readonly response?: unknown;
  /** True when the Python script also runs in Pyodide, which takes a second. */
  readonly inPyodide?: true;
  /** True when the script starts or signals processes, which fails on hosts that could not kill them. */
  readonly needsProcesses?: true;
  /** What differs where the kernel refuses filters of system calls; each has a line in docs/guides/scripts.md. */
  readonly unfiltered?: { readonly stdout: unknown };
}

/** A script in one language. */
export interface Case extends Terms {
  readonly name: string;
  readonly source: string;
}

/** A rule, with a script for each language that has the rule. An object overrides terms of the rule. */
export interface Rule extends Terms {
  readonly name: string;
  readonly node?: string | Omit<Case, 'name'>;
  readonly python?: string | Omit<Case, 'name'>;
}

/** Returns the scripts of rules in one language. */
export function casesIn(language: ScriptRuntime, rules: readonly Rule[]): readonly Case[] {
  return rules.flatMap(({ node, python, ...terms }) => {
    const script = language === 'node' ? node : python;
    if (script === undefined) return [];
    return { ...terms, ...(typeof script === 'string' ? { source: script } : script) };
  });
}

/** A response with all defaults. */
export const plain = { status: 200, content: '', content_type: 'application/json', headers: {} };

/** Matches text with these parts in order, and without files of the runners. */
export function showing(...parts: readonly string[]) {
  const literals = parts.map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const runners = '(context|runner|family)\\.(py|cjs)';
  return expect.stringMatching(new RegExp(`^(?![^]*${runners})[^]*${literals.join('[^]*')}`));
}
