import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { Plugin } from 'esbuild';
import { isScriptPath } from '../../path-parts.ts';
import { openProjectFiles } from '../../project-files.ts';

/** Name of the plugin that {@link checkModules} makes; its errors are for users. */
export const checkPluginName = 'modules of the project';

/**
 * Lets a bundle have modules of the project and packages only: a project that was cloned could import any file of the
 * user, whose content a push would send. A package is what lies, after links, in a folder `node_modules`.
 */
export function checkModules(folder: string): Plugin {
  const root = realpathSync(folder);
  return {
    name: checkPluginName,
    setup: ({ onLoad }) => {
      onLoad({ filter: /(?:)/, namespace: 'file' }, ({ path }) => ({
        contents: readModule(root, path),
        loader: 'default',
      }));
    },
  };
}

/** Reads a module. Its path has no links any more, since esbuild resolves them. */
function readModule(root: string, path: string): Buffer {
  const packages = path.lastIndexOf(`${sep}node_modules${sep}`);
  const own = relative(root, path);
  if (packages < 0 && !isScriptPath(own)) {
    const linked = linkedPackage(root, path);
    throw new Error(linked ? explainLink(linked) : noModule(path));
  }
  const from = packages < 0 ? root : join(path.slice(0, packages), 'node_modules');
  const content = openProjectFiles(from).read(relative(from, path));
  if (content === undefined) throw new Error(`${path} does not exist`);
  return content;
}

function noModule(path: string): string {
  return `${path} is neither a module of the project nor of a package`;
}

/** A package that is a link to a folder. */
interface LinkedPackage {
  readonly name: string;
  readonly folder: string;
}

function explainLink({ name, folder }: LinkedPackage): string {
  return [
    `the package ${name} is a link to ${folder}, which is neither in the project nor in a folder node_modules,`,
    'and a push sends no files from elsewhere.',
    'Install a copy: npm pack in that folder, then npm install with the archive; or move it into the project',
  ].join(' ');
}

/** Finds the package by whose link a bundle came to a file: in `node_modules` of the project, or above. */
function linkedPackage(root: string, path: string): LinkedPackage | undefined {
  for (let above = root; ; above = dirname(above)) {
    const found = linksIn(join(above, 'node_modules')).find(({ folder }) =>
      path.startsWith(folder + sep),
    );
    if (found !== undefined || above === dirname(above)) return found;
  }
}

function linksIn(packages: string): readonly LinkedPackage[] {
  const names = entriesOf(packages).flatMap((name) => {
    return name.startsWith('@')
      ? entriesOf(join(packages, name)).map((each) => `${name}/${each}`)
      : [name];
  });
  return names.flatMap((name) => {
    const packagePath = join(packages, name);
    const isLink = lstatSync(packagePath).isSymbolicLink() && existsSync(packagePath);
    return isLink ? [{ name, folder: realpathSync(packagePath) }] : [];
  });
}

function entriesOf(folder: string): readonly string[] {
  const isFolder = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? readdirSync(folder) : [];
}
