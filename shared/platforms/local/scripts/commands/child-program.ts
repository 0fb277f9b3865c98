import { fileURLToPath } from 'node:url';
import { bundleChild, type ChildProgram } from './bundle-child.mjs';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const bundles = new Map<ChildProgram, Promise<string>>();
let building: Promise<unknown> = Promise.resolve();

/** Returns the path of a child process's bundled program, which is built at the first job if it is not fresh. */
export function childProgram(name: ChildProgram): Promise<string> {
  const known = bundles.get(name);
  if (known !== undefined) return known;
  const bundle = inTurn(() => bundleChild(root, name));
  bundles.set(name, bundle);
  bundle.catch(() => bundles.delete(name)); // the next job builds it again
  return bundle;
}

/** Builds one program at a time, because the end of a build ends the process of the bundler. */
function inTurn(build: () => Promise<string>): Promise<string> {
  const built = building.then(build);
  building = built.catch(() => {});
  return built;
}
