import { createHash } from 'node:crypto';
import type { ScriptRuntime } from '../../../ports/script-runner.ts';
import { packScript, type RuntimeFiles } from '../../../runtimes/package.ts';
import type { FunctionSettings } from './function-control.ts';
import { describeFunction, type ScriptId } from './script-names.ts';
import { functionSeconds } from './scripts.ts';

/** The files of each runtime next to a script in its function. */
export type AllRuntimeFiles = Readonly<Record<ScriptRuntime, RuntimeFiles>>;

/** The parts of script functions in addition to the scripts. */
export interface PackageOptions {
  readonly files: AllRuntimeFiles;
  /** ARN of the role that they share. */
  readonly role: string;
  readonly memoryMegabytes: number;
}

/** A script to be packed. */
export interface FunctionScript {
  readonly id: ScriptId;
  readonly version: number;
  readonly runtime: ScriptRuntime;
  readonly source: string;
}

/** The contents of a function. */
export interface ScriptPackage {
  readonly settings: FunctionSettings;
  /** A zip file. */
  readonly code: Uint8Array;
  /** SHA-256 of it in base64, as Lambda shows it. */
  readonly hash: string;
}

const runtimes = {
  node: { Runtime: 'nodejs24.x', sourceName: 'main.js' },
  python: { Runtime: 'python3.14', sourceName: 'main.py' },
} as const;

/** Packs a script: the same script always results in the same bytes. */
export function packFunction(options: PackageOptions, script: FunctionScript): ScriptPackage {
  const { id, version, runtime, source } = script;
  const { sourceName } = runtimes[runtime];
  const code = packScript(options.files[runtime], { source, version, sourceName });
  return { settings: settingsOf(options, runtime, id), code, hash: sha256(code) };
}

/** Returns a text that changes when functions of a runtime must be rebuilt, independent of their scripts. */
export function releaseOf(options: PackageOptions, runtime: ScriptRuntime): string {
  const settings = settingsOf(options, runtime, { instance: 0, script: 0 });
  return sha256(JSON.stringify([options.files[runtime], settings]));
}

function settingsOf(options: PackageOptions, runtime: ScriptRuntime, id: ScriptId) {
  return {
    Runtime: runtimes[runtime].Runtime,
    Handler: 'index.handler',
    Role: options.role,
    MemorySize: options.memoryMegabytes,
    Timeout: functionSeconds,
    Description: describeFunction(id),
  };
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('base64');
}
