import { realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Plugin } from 'esbuild';
import { isScriptPath } from '../../path-parts.ts';
import { openFiles } from '../../project-files.ts';

/**
 * Lets a bundle have modules of the project and packages only: a project that was cloned could import any file of the
 * user, whose content a push would send. A package is what lies, after links, in a folder `node_modules`.
 */
export function checkModules(folder: string): Plugin {
  const root = realpathSync(folder);
  return {
    name: 'modules of the project',
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
    throw new Error(`${path} is neither a module of the project nor of a package`);
  }
  const from = packages < 0 ? root : join(path.slice(0, packages), 'node_modules');
  const content = openFiles(from).read(relative(from, path));
  if (content === undefined) throw new Error(`${path} does not exist`);
  return content;
}
