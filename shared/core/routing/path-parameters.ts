import { pathParameter } from '../../values/text/path-parameters.ts';
import type { Params } from './known.ts';

/** Returns the name of a parameter in the interface document. */
export function documentedName(name: string): string {
  return pathParameter(name).documentedAs ?? name;
}

/** Renames the `{parameters}` of a path as in the interface document. */
export function documentedPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => `{${documentedName(name)}}`);
}

/** Reads a parameter. Text outside its grammar names nothing, which is detected without reading the store. */
export function parseParameter(
  name: string,
  segment: string,
  { type, pattern, isLowered } = pathParameter(name),
): Params {
  const text = isLowered ? segment.toLowerCase() : segment;
  if (!pattern.test(text)) return {};
  return { [name]: type === 'integer' ? Number(text) : text };
}
