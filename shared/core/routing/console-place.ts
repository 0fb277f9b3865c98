import type { Params } from './known.ts';

/**
 * Places in the console, by the paths of v1.1 that they show, or of v1 where v1.1 has none. A place also applies to the
 * paths below its own that have none.
 */
export type ConsolePlaces = Readonly<Record<string, string>>;

/** The list of instances. */
const start = '/';

/**
 * Returns the place in the console that shows what a path is about, with the names of a request; the nearest one above
 * it, where the request lacks a name.
 *
 * @param routePath path of a route below the version, with `{parameters}`
 */
export function consolePlaceAt(places: ConsolePlaces, routePath: string, params: Params): string {
  const above = Object.keys(places).filter((path) => routePath.startsWith(path));
  const nearest = above.toSorted((a, b) => b.length - a.length);
  const filled = nearest.map((path) => fillPlace(places[path] ?? start, params));
  return filled.find((place) => place !== undefined) ?? start;
}

function fillPlace(place: string, params: Params): string | undefined {
  const names = [...place.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const values: Readonly<Record<string, unknown>> = params;
  if (names.some((name) => values[name] === undefined)) return undefined;
  return place.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}
