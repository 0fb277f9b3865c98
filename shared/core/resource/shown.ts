import type { Json, JsonObject } from '../../values/json/json.ts';
import type { Field, Fields } from './field.ts';
import type { ShownName } from './show.ts';

/**
 * A record as responses show it, by its fields: what the console and other clients read.
 *
 * @typeParam Own types of members of which the fields say less
 */
export type ShownRecord<F extends Fields, Own extends object = None> = Omit<
  {
    readonly [Name in ShownName<F> as F[Name] extends Optional ? never : Name]: Shown<F[Name]>;
  } & {
    readonly [Name in ShownName<F> as F[Name] extends Optional ? Name : never]?: Shown<F[Name]>;
  },
  keyof Own
> &
  Own;

type None = Record<never, never>;

interface Optional {
  readonly isOptional: true;
}

/** The value that responses have for a field. */
type Shown<F extends Field> =
  | NotNull<F>
  | (F extends { readonly nullable: true } | { readonly isShownAsNull: true } ? null : never);

type NotNull<F extends Field> = F extends { readonly choices: readonly (infer Word)[] }
  ? Word
  : F extends { readonly children: infer Children extends Fields }
    ? ShownRecord<Children> & (F extends { readonly isOpen: true } ? JsonObject : unknown)
    : F extends { readonly child: infer Child extends Field }
      ? readonly Shown<Child>[]
      : F extends { readonly shows: infer Kind extends keyof Kinds }
        ? Kinds[Kind]
        : Types[F['type']];

/** Values by the type of a `field` without children. */
interface Kinds {
  string: string;
  integer: number;
  boolean: boolean;
  object: JsonObject;
  list: readonly Json[];
}

interface Types {
  field: Json;
  string: string;
  slug: string;
  email: string;
  choice: string;
  datetime: string;
  boolean: boolean;
  integer: number;
  float: number;
  list: readonly Json[];
  'file upload': Json;
  'nested object': JsonObject;
}
