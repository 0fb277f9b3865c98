/**
 * What the parameters of a place accept, by name. The values become segments of requests, so these are the patterns of
 * the interface (docs/reference/requests.md#names-and-ids); names are not case-sensitive.
 */
export const locationNames = {
  instance: /^[a-z0-9_-]{1,64}$/i,
  class: /^[a-z0-9_]{1,64}$/i,
  /** An endpoint, a template or a channel. */
  name: /^[a-z0-9_-]{1,64}$/i,
  id: /^\d{1,10}$/,
  service: /^(gcm|apns)$/,
  device: /^[A-Za-z0-9_|:-]{1,512}$/,
} as const satisfies Readonly<Record<string, RegExp>>;

/** Values of the parameters in a path, by name. */
export type PathNames = Readonly<Partial<Record<keyof typeof locationNames, string>>>;

/**
 * Compares a path with a pattern such as `/i/:instance/data/:class`.
 *
 * @returns the decoded names; undefined when they differ, or a name is not one that the interface has
 * @throws Error for a pattern with an unknown parameter
 */
export function matchPattern(pattern: string, path: string): PathNames | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const names: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? '';
    if (!part.startsWith(':')) {
      if (part !== text) return undefined;
      continue;
    }
    const name = readName(part.slice(1), text);
    if (name === undefined) return undefined;
    names[part.slice(1)] = name;
  }
  return names;
}

/** Returns the instance of a place, whatever the rest of its path is; undefined when it is in none. */
export function instanceOfLocation(path: string): string | undefined {
  const [, first, name = ''] = path.split('/');
  return first === 'i' ? readName('instance', name) : undefined;
}

function readName(parameter: string, text: string): string | undefined {
  if (!isParameter(parameter)) throw new Error(`:${parameter} is not a parameter of places`);
  const name = decode(text);
  return name !== undefined && locationNames[parameter].test(name) ? name : undefined;
}

function isParameter(name: string): name is keyof typeof locationNames {
  return Object.hasOwn(locationNames, name);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // typed by hand
  }
}
