import { useLayoutEffect, useRef } from 'preact/hooks';
import { type ClassFieldType, fieldTypes } from '../../../shared/classes/rules/field-types.ts';
import { nameLengths } from '../../core/name-hints.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorText, useInvalid } from '../../parts/field-messages.tsx';
import { nameInput } from '../../parts/form.tsx';
import { Menu } from '../../parts/menu.tsx';
import {
  classLimits,
  draftField,
  type FieldDraft,
  type FieldFlag,
  hasOption,
  readSchemaError,
} from './class-draft.ts';

const typeTexts: Readonly<Record<ClassFieldType, string>> = {
  string: 'Up to 128 characters',
  text: 'Up to 32,000 characters',
  integer: 'A whole number',
  float: 'A number',
  boolean: 'True or false',
  datetime: 'A point in time',
  file: 'A picture or other file',
  reference: 'One other object',
  relation: 'Several other objects',
  array: 'Texts, numbers, booleans',
  object: 'JSON',
  geopoint: 'A place on the map',
};

const flagTexts: readonly (readonly [flag: FieldFlag, label: string, text: string])[] = [
  ['filter_index', 'Filter', 'Lists can be filtered by this field'],
  ['order_index', 'Order', 'Lists can be ordered by this field'],
  ['unique', 'Unique', 'No two objects have the same value; only for new fields'],
  ['private', 'Private', 'Files are served at signed addresses only'],
];

interface FieldLinesProps {
  readonly fields: readonly FieldDraft[];
  readonly onFields: (fields: readonly FieldDraft[]) => void;
  /** Names of the classes that fields may refer to. */
  readonly targets: readonly string[];
  /** What the server says about the fields. */
  readonly error: string | undefined;
}

/** The fields of a class, one line each. */
export function FieldLines({ fields, onFields, targets, error }: FieldLinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const focused = useRef<string | undefined>(undefined); // when the number of lines has changed
  useLayoutEffect(() => {
    if (focused.current === undefined) return;
    box.current?.querySelector<HTMLElement>(focused.current)?.focus();
    focused.current = undefined;
  }, [fields]);
  const add = (type: ClassFieldType = 'string') => {
    const last = fields.at(-1);
    const isUnused = last?.name === '' && last.stored === undefined; // its line is taken
    if (fields.length >= classLimits.fields && !isUnused) return;
    focused.current = '.field-line:nth-last-child(1 of .field-line) input';
    onFields([...(isUnused ? fields.slice(0, -1) : fields), { ...draftField(), type }]);
  };
  const remove = (index: number) => {
    focused.current = '.add button';
    onFields(fields.toSpliced(index, 1));
  };
  const move = (index: number, by: number) => {
    const [moved] = fields.slice(index);
    if (moved !== undefined) onFields(fields.toSpliced(index, 1).toSpliced(index + by, 0, moved));
  };
  const { position, message } = readSchemaError(error);
  const flags = flagTexts.filter(([flag]) => fields.some(({ type }) => hasOption(type, flag)));
  return (
    <div class="fields" ref={box}>
      <div class="fields-head" aria-hidden="true">
        <span>Name</span>
        <span>Type</span>
        <span class="flags">
          {flags.map(([flag, label, text]) => (
            <span key={flag} title={text}>
              {label}
            </span>
          ))}
        </span>
      </div>
      {fields.map((field, index) => (
        <FieldLine
          key={field.line}
          field={field}
          onField={(changed) => onFields(fields.with(index, changed))}
          onAdd={() => add()}
          isLast={index === fields.length - 1}
          actions={[
            ...(index > 0 ? [{ text: 'Move up', onAct: () => move(index, -1) }] : []),
            ...(index < fields.length - 1
              ? [{ text: 'Move down', onAct: () => move(index, 1) }]
              : []),
            { text: 'Remove', isDanger: true, onAct: () => remove(index) },
          ]}
          error={index === position ? message : undefined}
          {...{ targets, flags }}
        />
      ))}
      {position === undefined && <ErrorText>{message}</ErrorText>}
      <fieldset class="bare actions add" aria-label="Add field">
        Add field
        {fieldTypes.map((type) => (
          <Button
            key={type}
            class="small"
            title={typeTexts[type]}
            disabled={fields.length >= classLimits.fields}
            onAct={() => add(type)}
            text={type}
          />
        ))}
      </fieldset>
    </div>
  );
}

interface FieldLineProps extends Pick<FieldLinesProps, 'targets' | 'error'> {
  readonly field: FieldDraft;
  readonly onField: (field: FieldDraft) => void;
  /** It may stay without a name: then it is left out. Enter in its name adds another one. */
  readonly isLast: boolean;
  readonly onAdd: () => void;
  readonly actions: Parameters<typeof Menu>[0]['items'];
  /** Those that a field of the class can have: each has a column. */
  readonly flags: typeof flagTexts;
}

function FieldLine({ field, onField, isLast, onAdd, actions, ...props }: FieldLineProps) {
  const { name, type, stored } = field;
  const title = name === '' ? 'New field' : name;
  const { error, watch } = useInvalid(props.error);
  return (
    <fieldset class="field-line" aria-label={title} {...watch}>
      {stored === undefined ? (
        <input
          {...nameInput}
          type="text"
          aria-label="Field name"
          aria-invalid={props.error === undefined ? undefined : true}
          required={!isLast}
          maxLength={nameLengths.field.maxLength}
          value={name}
          onInput={({ currentTarget }) => onField({ ...field, name: currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.ctrlKey) return;
            event.preventDefault(); // the form is not sent
            if (isLast) onAdd();
          }}
        />
      ) : (
        <strong class="mono">{name}</strong>
      )}
      <TypeCell field={field} onField={onField} targets={props.targets} />
      <span class="flags">
        {props.flags.map(([flag, label, text]) =>
          hasOption(type, flag) ? (
            <label key={flag} title={text}>
              <input
                type="checkbox"
                aria-label={label}
                checked={field[flag] || (flag === 'filter_index' && field.unique)}
                disabled={isFixed(field, flag)}
                onChange={({ currentTarget }) =>
                  onField({ ...field, [flag]: currentTarget.checked })
                }
              />
              <span>{label}</span>
            </label>
          ) : (
            <span key={flag} />
          ),
        )}
      </span>
      <Menu label={`Actions for ${title}`} items={actions} />
      <ErrorText>{error}</ErrorText>
    </fieldset>
  );
}

function isFixed({ unique, stored }: FieldDraft, flag: FieldFlag): boolean {
  if (flag === 'filter_index') return unique;
  return flag === 'unique' && stored !== undefined && stored.unique !== true;
}

const targetTexts: ReadonlyMap<string, string> = new Map([
  ['', 'Choose…'],
  ['self', 'this class'],
  ['user', 'users'],
]);

/** The type of a field, and what it refers to. */
function TypeCell({
  field,
  onField,
  targets,
}: Pick<FieldLineProps, 'field' | 'onField' | 'targets'>) {
  const { name, type, target, stored } = field;
  const hasTarget = hasOption(type, 'target');
  if (stored !== undefined) {
    return (
      <span class="type" title={typeTexts[type]}>
        {type}
        {hasTarget && <span class="soft"> to {targetTexts.get(target) ?? target}</span>}
      </span>
    );
  }
  return (
    <>
      <select
        class="type"
        aria-label="Type"
        title={typeTexts[type]}
        value={type}
        onChange={({ currentTarget: { value } }) =>
          onField({ ...field, type: fieldTypes.find((each) => each === value) ?? type })
        }
      >
        {fieldTypes.map((each) => (
          <option key={each} title={typeTexts[each]}>
            {each}
          </option>
        ))}
      </select>
      {hasTarget && (
        <select
          class="to"
          aria-label="Refers to"
          title="What the field refers to; it cannot be changed later"
          required={name !== ''} // a line without a name is left out
          value={target}
          onChange={({ currentTarget }) => onField({ ...field, target: currentTarget.value })}
        >
          {[...new Set(['', 'self', 'user', ...targets, target])].map((each) => (
            <option key={each} value={each}>
              {targetTexts.get(each) ?? each}
            </option>
          ))}
        </select>
      )}
    </>
  );
}
