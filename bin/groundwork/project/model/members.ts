import * as v from 'valibot';
import type { Field, Fields } from '../../../../shared/core/routing/forms.ts';
import { messages } from '../../../../shared/values/errors/messages.ts';
import type { Json } from '../../../../shared/values/json/json.ts';
import type { ValueSchema } from '../../../../shared/values/values.ts';

/** A record as the project file describes it: all members, with references by name. */
export type ProjectEntry = Readonly<Record<string, unknown>>;

/** A part of a record that the project file manages. */
export interface Member {
  readonly schema: ValueSchema<unknown>;
  /** The value when the file has none; a member without it is required. */
  readonly initial?: Json;
  /** Only a create sets it. */
  readonly isFixed?: boolean;
}

/** Members by name, in the order in which they are written. */
export type NamedMembers = Readonly<Record<string, Member>>;

/** Returns the members of a resource: those that clients can write, with the rules and defaults of the server. */
export function writableMembers(fields: Fields): NamedMembers {
  const writable = Object.entries(fields).filter(([, field]) => isManaged(field));
  return Object.fromEntries(writable.map(([name, field]) => [name, memberOf(field)]));
}

function isManaged({ input, writable }: Field): boolean {
  return input !== undefined && (writable === 'always' || writable === 'create');
}

function memberOf({ input, initial, putDefault, nullable, required, writable }: Field): Member {
  const value = input ?? v.unknown();
  const first = initial ?? putDefault ?? (nullable || initial === null ? null : undefined);
  return {
    schema: first === null ? v.nullable(value) : notNull(value),
    ...(required !== true && { initial: first ?? null }),
    isFixed: writable === 'create',
  };
}

function notNull(schema: ValueSchema<unknown>): ValueSchema<unknown> {
  return v.pipe(
    v.unknown(),
    v.check((value) => value !== null, messages.null),
    schema,
  );
}

/** Returns the schema of an entry; absent members have the value of `initial`, or else that of the member. */
export function entrySchema(
  members: NamedMembers,
  initial: ProjectEntry = {},
): ValueSchema<ProjectEntry> {
  const entries = Object.entries(members).map(([name, { schema, ...member }]) => {
    const value = name in initial ? initial[name] : member.initial;
    return [name, value === undefined ? schema : v.optional(schema, value)] as const;
  });
  return v.strictObject(Object.fromEntries(entries));
}
