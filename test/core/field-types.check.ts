import { expectTypeOf } from 'vitest';
import {
  choiceField,
  defineFields,
  emailField,
  expectedRevision,
  flagField,
  json,
  metadataField,
  readOnlyField,
  textField,
} from '../../shared/core/resource/field.ts';
import { readInput, type Values, validInput } from '../../shared/core/resource/input.ts';
import type { ListOf } from '../../shared/core/resource/lists/list-resource.ts';
import { type Show, showFields } from '../../shared/core/resource/show.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { recordId } from '../../shared/values/record-id.ts';

/** Statements about types, which the compiler checks; they are never run. */
const check = (_statement: string, _types: () => void): void => undefined;

const fields = defineFields({
  id: readOnlyField('integer'),
  name: textField(64, { required: true, writable: 'create' }),
  label: textField(64),
  address: emailField({ writable: 'create' }),
  group: json(recordId(), { nullable: true, initial: null }),
  owner: json(recordId(), { nullable: true }),
  is_active: flagField(),
  color: choiceField(['red', 'green'], 'red'),
  metadata: metadataField(),
  expected_revision: expectedRevision(),
});

type Fields = typeof fields;
/** One object type in place of an intersection, as `toEqualTypeOf` compares types part by part. */
type Flat<T> = { [Name in keyof T]: T[Name] };

check('a create has all fields that are required or have a default', () => {
  expectTypeOf<Flat<Values<Fields, 'create'>>>().toEqualTypeOf<{
    readonly name: string;
    readonly label: string;
    readonly address: string;
    readonly group: number | null;
    readonly owner?: number | null;
    readonly is_active: boolean;
    readonly color: 'red' | 'green';
    readonly metadata: JsonObject;
  }>();
});

check('a PUT has the fields with a default for it', () => {
  expectTypeOf<Flat<Values<Fields, 'replace'>>>().toEqualTypeOf<{
    readonly label?: string;
    readonly group?: number | null;
    readonly owner?: number | null;
    readonly is_active?: boolean;
    readonly color: 'red' | 'green';
    readonly metadata: JsonObject;
    readonly expected_revision?: number;
  }>();
});

check('a PATCH may omit every field, and so may a body that is either', () => {
  interface Changes {
    readonly label?: string;
    readonly group?: number | null;
    readonly owner?: number | null;
    readonly is_active?: boolean;
    readonly color?: 'red' | 'green';
    readonly metadata?: JsonObject;
    readonly expected_revision?: number;
  }
  expectTypeOf<Flat<Values<Fields, 'patch'>>>().toEqualTypeOf<Flat<Changes>>();
  expectTypeOf<Flat<Values<Fields, 'replace' | 'patch'>>>().toEqualTypeOf<Flat<Changes>>();
});

check('a read-only field is in no body', () => {
  // @ts-expect-error
  expectTypeOf<Values<Fields, 'create'>['id']>().toBeNever();
});

check('values are whole only without errors', () => {
  const body = { value: { name: 'a', address: 'a@b.example' }, form: false };
  const input = readInput(fields, body, 'create');
  if (input.errors !== undefined) {
    expectTypeOf(input.values.name).toEqualTypeOf<string | undefined>();
    throw new Error('a valid body has errors');
  }
  expectTypeOf(input.values.name).toEqualTypeOf<string>();
  expectTypeOf(validInput(fields, body, 'patch').label).toEqualTypeOf<string | undefined>();
});

check('a default has the type of the values', () => {
  // @ts-expect-error
  json(recordId(), { initial: 'one' });
  // @ts-expect-error
  choiceField(['red', 'green'], 'blue');
});

interface Data {
  readonly id: number;
  readonly label: string;
}
interface View {
  readonly data: Data;
  readonly link: string;
}
const whole = defineFields({
  id: readOnlyField('integer'),
  label: textField(64),
  secret: textField(64, { writeOnly: true }),
});
const linked = defineFields({ ...whole, link: readOnlyField('string') });

check('a list must say how to show a field that its data does not have', () => {
  expectTypeOf<ListOf<Data, View, typeof whole>['show']>().toEqualTypeOf<Show<View> | undefined>();
  type Linked = ListOf<Data, View, typeof linked>;
  expectTypeOf<Linked>().toExtend<{ show: Show<View> } | { bodies: object }>();
  showFields<typeof linked, View>(linked, (_, { link }) => ({ link }));
  // @ts-expect-error
  showFields<typeof linked, View>(linked, () => ({}));
});

check('handlers of a list get the values of its fields', () => {
  type Handler = NonNullable<ListOf<Data, View, typeof whole>['create']>;
  const create: Handler = async (_, input) => ({
    data: { id: 1, label: input.valid().label },
    link: '',
  });
  expectTypeOf<Parameters<typeof create>[1]['body']['form']>().toEqualTypeOf<boolean>();
  // @ts-expect-error
  expectTypeOf<ReturnType<Parameters<typeof create>[1]['valid']>['id']>().toBeNever();
});
