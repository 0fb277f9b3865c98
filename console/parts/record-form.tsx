import type { FunctionComponent } from 'preact';
import { ClassField } from './class-choice.tsx';
import { DraftForm, type FormDraft, type ItemFormProps } from './draft-form.tsx';
import {
  AreaField,
  CheckField,
  type InputProps,
  NameField,
  SelectField,
  TextField,
} from './form.tsx';
import { GroupField } from './group-choice.tsx';
import { LoadedScriptField } from './script-choice.tsx';

/** A field of a record in its form; the kind decides the control and how the value is sent. */
export type FormField = {
  /** In the interface. */
  readonly name: string;
  readonly hint?: string;
  /** Before the first change of a new record; absent: empty, or no. */
  readonly start?: string | boolean;
  /** Yes: cannot be changed later. No: a new record does not have it in its form. */
  readonly isForNew?: boolean;
} & (
  | { readonly kind: 'text'; readonly label: string; readonly input?: InputProps }
  | { readonly kind: 'optional' | 'number'; readonly label: string; readonly input?: InputProps }
  | { readonly kind: 'lines' | 'check' | 'class'; readonly label: string }
  | { readonly kind: 'choice'; readonly label: string; readonly options: Options }
  | { readonly kind: 'name' | 'script' | 'group' }
);

type Options = readonly (readonly [value: string, label: string])[];
type Values = Readonly<Record<string, string | boolean>>;

/** The fields of a record, or a form of its own. */
export type FormDefinition<Item> = readonly FormField[] | FunctionComponent<ItemFormProps<Item>>;

/** Makes the form of a kind of records. */
export function formOf<Item extends object>(
  form: FormDefinition<Item>,
  noun: string,
): FunctionComponent<ItemFormProps<Item>> {
  if (typeof form === 'function') return form;
  return (props) => <RecordForm fields={form} noun={noun} {...props} />;
}

interface RecordFormProps<Item> extends ItemFormProps<Item> {
  readonly fields: readonly FormField[];
  /** What is created: `trigger`. */
  readonly noun: string;
}

/** The form of a record, also of a new one, made from the declaration of its fields. */
export function RecordForm<Item extends object>(props: RecordFormProps<Item>) {
  const { fields, noun, instance, item, sends, onSend, onCancel } = props;
  const isNew = item === undefined;
  const shown = fields.filter(({ isForNew = isNew }) => isForNew === isNew);
  const bodyOf = (values: Values) =>
    Object.fromEntries(shown.map((field) => [field.name, toSent(field, values[field.name])]));
  return (
    <DraftForm<Values>
      start={Object.fromEntries(shown.map((field) => [field.name, toTyped(field, item)]))}
      verb={isNew ? `Create ${noun}` : 'Save'}
      sends={sends}
      onSend={(values) => onSend(bodyOf(values))}
      onCancel={onCancel}
    >
      {(draft) =>
        shown.map((field) => <Control key={field.name} {...{ field, draft, instance }} />)
      }
    </DraftForm>
  );
}

function toTyped(field: FormField, item: object | undefined): string | boolean {
  const stored = (item as Readonly<Record<string, unknown>> | undefined)?.[field.name]; // fields are members of the record
  if (field.kind === 'check') return item === undefined ? field.start === true : stored === true;
  return item === undefined ? String(field.start ?? '') : String(stored ?? '');
}

function toSent({ kind }: FormField, value: string | boolean | undefined): unknown {
  switch (kind) {
    case 'script':
      return Number(value);
    case 'group':
    case 'number':
      return value === '' ? null : Number(value);
    case 'optional':
      return String(value).trim() === '' ? null : value;
    case 'text':
    case 'lines':
    case 'check':
    case 'class':
    case 'choice':
    case 'name':
      return value;
  }
}

interface ControlProps {
  readonly field: FormField;
  readonly draft: FormDraft<Values>;
  readonly instance: string;
}

function Control({ field, draft, instance }: ControlProps) {
  const value = draft.text(field.name as never); // the values are texts, except those of checks
  switch (field.kind) {
    case 'text':
    case 'optional':
    case 'number':
      return <TextField {...field} {...value} />;
    case 'lines':
      return <AreaField rows={2} {...field} {...value} />;
    case 'check':
      return <CheckField {...field} {...draft.check(field.name as never)} />;
    case 'choice':
      return <SelectField {...field} {...value} />;
    case 'class':
      return <ClassField none="Choose a class" required {...{ instance, ...field, ...value }} />;
    case 'name':
      return <NameField {...value} />;
    case 'script':
      return <LoadedScriptField {...{ instance, ...value }} />;
    case 'group':
      return <GroupField {...{ instance, ...value }} />;
  }
}
