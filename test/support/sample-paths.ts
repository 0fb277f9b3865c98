import type { Route } from '../../shared/core/routing/route.ts';

/** Returns every path of a route, with values for its parameters. */
export function samplePaths({ paths, isRoot }: Route): readonly string[] {
  const all = Object.entries(paths).map(([version, path]) => `/${version}${path}`);
  const filled = all.map((path) =>
    path
      .replaceAll('{id}', '7')
      .replaceAll('{link}', '0'.repeat(56))
      .replace(/\{\w+\}/g, 'some-name'),
  );
  return isRoot ? ['/', ...filled] : filled;
}
