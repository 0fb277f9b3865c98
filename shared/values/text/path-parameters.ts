/** What a `{parameter}` of a path accepts, and how it is read. */
export interface PathParameter {
  /** An `integer` is read as a number. */
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

/** Returns the grammar of most names. */
function nameOf(what: string) {
  return {
    type: 'string',
    pattern: /^[a-z0-9_-]{1,64}$/,
    description: `Name of ${what}. Not case-sensitive.`,
    isLowered: true,
  } as const;
}

/** Parameters of paths by name. Others are names. */
export const pathParameters = {
  instance: { ...nameOf('an instance'), documentedAs: 'instance_name' },
  class: { ...nameOf('a class'), pattern: /^[a-z0-9_]{1,64}$/, documentedAs: 'class_name' },
  endpoint: nameOf('an endpoint'),
  link: {
    type: 'string',
    pattern: /^[0-9a-f]{56}$/,
    description: 'Public link of a script endpoint.',
    documentedAs: 'public_link',
    isLowered: true,
    isExact: true,
  },
  template: nameOf('a template'),
  channel: { ...nameOf('a channel'), documentedAs: 'channel_name' },
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
  session: {
    type: 'string',
    pattern: /^(?:\d{1,10}|current)$/,
    description: 'Id of a session of the user, or `current`.',
  },
} as const satisfies Readonly<Record<string, PathParameter>>;

/** The value of a parameter in its stored form. */
export type ParameterValue<Name extends string> = Name extends keyof typeof pathParameters
  ? (typeof pathParameters)[Name]['type'] extends 'integer'
    ? number
    : string
  : string;

/** Returns what a `{parameter}` accepts. */
export function pathParameter(name: string): PathParameter {
  return Object.hasOwn(pathParameters, name)
    ? pathParameters[name as keyof typeof pathParameters]
    : nameOf(`the ${name}`);
}

/** Returns the pattern of segments before capitals are converted. */
export function acceptedPattern({ pattern, isLowered }: PathParameter): string {
  return isLowered
    ? pattern.source.replace(/a-[zf]/, (small) => `${small.toUpperCase()}${small}`)
    : pattern.source;
}
