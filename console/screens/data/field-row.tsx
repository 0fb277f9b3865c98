import { type ClassFieldType, fieldTypes } from '../../../shared/classes/rules/field-types.ts';
import { Button } from '../../parts/button.tsx';
import { CheckField, ErrorText, nameInput, SelectField, TextField } from '../../parts/form.tsx';
import type { FieldOption } from './class-data.ts';
import { type FieldDraft, hasOption } from './class-draft.ts';

const typeTexts: Readonly<Record<ClassFieldType, string>> = {
  string: 'string: up to 128 characters',
  text: 'text: up to 32,000 characters',
  integer: 'integer: a whole number',
  float: 'float: a number',
  boolean: 'boolean: true or false',
  datetime: 'datetime: a point in time',
  file: 'file: a picture or other file',
  reference: 'reference: one other object',
  relation: 'relation: several other objects',
  array: 'array: texts, numbers, booleans',
  object: 'object: JSON',
  geopoint: 'geopoint: a place on the map',
};

interface FieldRowProps {
  readonly field: FieldDraft;
  readonly onField: (field: FieldDraft) => void;
  readonly onRemove: () => void;
  readonly error: string | undefined;
  /** Names of the classes that fields may refer to. */
  readonly targets: readonly string[];
}

/** A field of a class in its editor. */
export function FieldRow({ field, onField, onRemove, error, targets }: FieldRowProps) {
  const { name, type, target, stored } = field;
  const set = (change: Partial<FieldDraft>) => onField({ ...field, ...change });
  const title = name === '' ? 'New field' : name;
  return (
    <fieldset class="card class-field">
      <legend class="mono">{title}</legend>
      {stored === undefined ? (
        <div class="row">
          <TextField
            label="Name"
            value={name}
            onValue={(value) => set({ name: value })}
            input={{ ...nameInput, maxLength: 64 }}
          />
          <SelectField
            label="Type"
            value={type}
            onValue={(value) => set({ type: fieldTypes.find((each) => each === value) ?? type })}
            options={fieldTypes.map((each) => [each, typeTexts[each]])}
          />
          {hasOption(type, 'target') && (
            <SelectField
              label="Refers to"
              value={target}
              onValue={(value) => set({ target: value })}
              options={targetOptions(targets, target)}
            />
          )}
        </div>
      ) : (
        <p class="soft">
          {typeTexts[type]}
          {hasOption(type, 'target') && <> · refers to {target}</>}
        </p>
      )}
      <div class="row checks">
        <Flag field={field} flag="filter_index" label="Filter" onField={onField} />
        <Flag field={field} flag="private" label="Private" onField={onField} />
        <Flag field={field} flag="order_index" label="Order" onField={onField} />
        <Flag field={field} flag="unique" label="Unique" onField={onField} />
        <Button
          class="small danger"
          aria-label={`Remove the field ${title}`}
          onAct={onRemove}
          text="Remove"
        />
      </div>
      <ErrorText>{error}</ErrorText>
    </fieldset>
  );
}

interface FlagProps {
  readonly field: FieldDraft;
  readonly flag: Exclude<FieldOption, 'target'>;
  readonly label: string;
  readonly onField: (field: FieldDraft) => void;
}

function Flag({ field, flag, label, onField }: FlagProps) {
  if (!hasOption(field.type, flag)) return null;
  const { stored, unique } = field;
  const isFixed =
    (flag === 'filter_index' && unique) ||
    (flag === 'unique' && stored?.unique !== true && !!stored);
  return (
    <CheckField
      label={label}
      isChecked={field[flag] || (flag === 'filter_index' && unique)}
      onChecked={(isOn) => onField({ ...field, [flag]: isOn })}
      isDisabled={isFixed}
    />
  );
}

function targetOptions(targets: readonly string[], target: string) {
  const known = ['self', 'user', ...targets];
  const all = known.includes(target) ? known : [...known, target];
  return all.map((each): readonly [string, string] => {
    if (each === 'self') return [each, 'this class'];
    return [each, each === 'user' ? 'users' : each];
  });
}
