import type { Params } from './known.ts';

/** What a `{parameter}` of a path accepts, and how it is read. */
export interface PathParameter {
  /** An `integer` is a number in Params. */
  readonly type: 'string' | 'integer';
  readonly pattern: RegExp;
  /** For the interface document. */
  readonly description: string;
  /** Its name in the interface document; differs where ours is a reserved word of languages, or too short. */
  readonly documentedAs?: string;
  /** Capitals are converted to small letters (docs/reference/requests.md#names-and-ids). */
  readonly isLowered?: true;
  /** A segment that does not match may be something else: the path is matched as if this parameter did not exist. */
  readonly isExact?: true;
}

/** All parameters of paths, by name. */
export const pathParameters: Readonly<Record<keyof Params, PathParameter>> = {
  instance: {
    type: 'string',
    pattern: /^[a-z0-9_-]{1,64}$/,
    description: 'Name of an instance. Not case-sensitive.',
    documentedAs: 'instance_name',
    isLowered: true,
  },
  class: {
    type: 'string',
    pattern: /^[a-z0-9_]{1,64}$/,
    description: 'Name of a class. Not case-sensitive.',
    documentedAs: 'class_name',
    isLowered: true,
  },
  endpoint: {
    type: 'string',
    pattern: /^[a-z0-9_-]{1,64}$/,
    description: 'Name of an endpoint. Not case-sensitive.',
    isLowered: true,
  },
  link: {
    type: 'string',
    pattern: /^[0-9a-f]{56}$/,
    description: 'Public link of a script endpoint.',
    documentedAs: 'public_link',
    isLowered: true,
    isExact: true,
  },
  template: {
    type: 'string',
    pattern: /^[a-z0-9_-]{1,64}$/,
    description: 'Name of a template. Not case-sensitive.',
    isLowered: true,
  },
  channel: {
    type: 'string',
    pattern: /^[a-z0-9_-]{1,64}$/,
    description: 'Name of a channel. Not case-sensitive.',
    documentedAs: 'channel_name',
    isLowered: true,
  },
  id: { type: 'integer', pattern: /^\d{1,10}$/, description: 'Id of an item.' },
  device: {
    type: 'string',
    pattern: /^[A-Za-z0-9_|:-]{1,512}$/,
    description: 'Registration id (token) of a device.',
    documentedAs: 'registration_id',
  },
  backend: {
    type: 'string',
    pattern: /^[a-z0-9-]{1,40}$/,
    description: 'Name of the service that issued the token.',
  },
  member: {
    type: 'integer',
    pattern: /^\d{1,10}$/,
    description: 'Id of an item of a list below another item.',
  },
};

/** Returns the pattern of segments before capitals are converted. */
export function acceptedPattern({ pattern, isLowered }: PathParameter): string {
  return isLowered
    ? pattern.source.replace(/a-[zf]/, (small) => `${small.toUpperCase()}${small}`)
    : pattern.source;
}

/** All parameters by their names in the interface document. */
export const documentedParameters: Readonly<Record<string, PathParameter>> = Object.fromEntries(
  Object.entries(pathParameters).map(([name, each]) => [each.documentedAs ?? name, each]),
);

/** Renames the `{parameters}` of a path as in the interface document. */
export function documentedPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, (whole, name: string) =>
    isParameter(name) ? `{${pathParameters[name].documentedAs ?? name}}` : whole,
  );
}

/**
 * Reads a parameter. Text outside its grammar names nothing, which is detected without reading the store.
 *
 * @throws Error for a name that is no parameter: a route is wrong
 */
export function parseParameter(name: string, segment: string): Params {
  if (!isParameter(name)) throw new Error(`a path has an unknown parameter {${name}}`);
  const { type, pattern, isLowered } = pathParameters[name];
  const text = isLowered ? segment.toLowerCase() : segment;
  if (!pattern.test(text)) return {};
  return { [name]: type === 'integer' ? Number(text) : text };
}

/** Checks whether a segment can be a value of a parameter; most can, though they may name nothing. */
export function mayStandFor(name: string, segment: string): boolean {
  return (
    !isParameter(name) || !pathParameters[name].isExact || name in parseParameter(name, segment)
  );
}

function isParameter(name: string): name is keyof Params {
  return Object.hasOwn(pathParameters, name);
}
