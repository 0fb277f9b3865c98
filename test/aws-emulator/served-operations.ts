import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { routes } from '../../functions/api.ts';
import type { Route } from '../../shared/core/routing/route.ts';
import { createRouter } from '../../shared/core/routing/router.ts';
import { versions } from '../../shared/core/routing/versions.ts';

const router = createRouter(routes);

/** Names an operation by its method and its path in the newest version that has it. */
function nameOf(method: string, { paths, isRoot }: Route): string {
  const path = isRoot ? '/' : versions.map((version) => paths[version]).find(Boolean);
  return `${method} ${path}`;
}

/** Operations that the functions of a deployment have served. */
export interface ServedOperations {
  /** Counts a request with a response that is no error response: it went all the way under its role. */
  add(method: string, path: string, status: number): void;
  /** Appends them to the file of the run, one a line. */
  save(): void;
}

/** Creates an empty set. */
export function openServedOperations(): ServedOperations {
  const served = new Set<string>();
  return {
    add: (method, path, status) => {
      const match = status < 400 ? router(path) : undefined;
      if (match !== undefined) served.add(nameOf(method, match.route));
    },
    save: () => appendFileSync(fileOfRun(), [...served].map((name) => `${name}\n`).join('')),
  };
}

/** Lists the operations of the map that no deployment of the run has served. */
export function unservedOperations(): readonly string[] {
  const served = new Set(readFileSync(fileOfRun(), 'utf8').split('\n'));
  const operations = routes.flatMap((route) =>
    Object.keys(route.operations).map((method) => nameOf(method, route)),
  );
  return operations.filter((name) => !served.has(name));
}

/** Begins a run, whose processes share the file. */
export function beginRun(file: string): void {
  writeFileSync(file, '');
  process.env.TEST_SERVED = file;
}

function fileOfRun(): string {
  const file = process.env.TEST_SERVED;
  if (file === undefined) throw new Error('no run has begun: see roles-setup.ts');
  return file;
}
