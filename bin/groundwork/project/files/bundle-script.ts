import { resolve } from 'node:path';
import type { BuildFailure, BuildOptions, BuildResult, Message, Plugin } from 'esbuild';
import { messageOf } from '../../../../shared/values/caught.ts';
import { checkModules, checkPluginName } from './script-modules.ts';
import { isServedModule, servedClient } from './served-module.ts';

/**
 * Returns a script that contains all modules of a file; it is the same on every machine with the same packages.
 *
 * @throws Error with the reason, when a module is missing or has a syntax error
 */
export async function bundleScript(folder: string, file: string): Promise<string> {
  const { build } = await import('esbuild');
  const options: BuildOptions = {
    absWorkingDir: resolve(folder),
    entryPoints: [file],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    logLevel: 'silent',
    plugins: [servedClient, checkModules(folder)],
  };
  const banner = `/* Bundled from ${file}: change that file. */`;
  try {
    return textOf(await build({ ...options, format: 'iife', banner: { js: banner } }));
  } catch (error) {
    if (!isForAwait(error)) throw new Error(reasonOf(file, error), { cause: error });
  }
  try {
    const module = textOf(
      await build({ ...options, ...asModule, plugins: [coreModules, checkModules(folder)] }),
    );
    return `${banner}\n"use strict";\n(async () => {\n${module.replace(exported, '\n')}})();\n`;
  } catch (error) {
    throw new Error(reasonOf(file, error), { cause: error });
  }
}

function textOf({ outputFiles }: BuildResult): string {
  return outputFiles?.[0]?.text ?? '';
}

function reasonOf(file: string, error: unknown): string {
  const errors = buildErrors(error);
  const refused = errors.filter(({ pluginName }) => pluginName === checkPluginName);
  const reason = (refused.length > 0 ? refused : errors).map(describeBuildError).join('; ');
  return `${file} cannot be bundled: ${reason || messageOf(error)}`;
}

function describeBuildError({ pluginName, location, text }: Message): string {
  const isPlaced = pluginName !== checkPluginName && location !== null;
  return isPlaced ? `${location.file}, line ${location.line}: ${text}` : text;
}

/** Checks whether a build failed for top-level `await` alone, which only the format of modules has. */
function isForAwait(error: unknown): boolean {
  const errors = buildErrors(error);
  return errors.length > 0 && errors.every(({ text }) => text.startsWith('Top-level await'));
}

function buildErrors(error: unknown): readonly Message[] {
  if (!(error instanceof Error && 'errors' in error)) return [];
  return (error as BuildFailure).errors; // esbuild throws no other error with this member
}

/** Loads modules that the server has by `require`, which scripts have: `import` is for modules alone. */
const coreModules: Plugin = {
  name: 'core modules',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /.*/ }, ({ path, namespace, resolveDir }) => {
      if (namespace === 'core') return { path, external: true };
      return isServedModule(path, resolveDir) ? { path, namespace: 'core' } : undefined;
    });
    onLoad({ filter: /.*/, namespace: 'core' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

const asModule: BuildOptions = {
  format: 'esm',
  supported: { 'import-meta': false }, // an empty object, as in the other format
};

/** The exports of the file, which esbuild writes in one statement at the end. Nothing imports them. */
const exported = /\nexport \{[^}]*\};\n$/;
