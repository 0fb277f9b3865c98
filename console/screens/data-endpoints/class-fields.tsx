import type { FormDraft } from '../../parts/draft-form.tsx';
import { ErrorText } from '../../parts/field-messages.tsx';
import { CheckField, SelectField } from '../../parts/form.tsx';
import type { ClassRecord } from '../data/class-data.ts';
import { systemColumns } from '../objects/object-data.ts';
import { type DataEndpoint, joinNames, splitNames } from './data-endpoint-data.ts';

/** What names fields of the class. */
type ChosenFields = Pick<DataEndpoint, 'order_by' | 'excluded_fields' | 'expand'>;

interface ClassFieldsProps {
  readonly chosen: ClassRecord;
  readonly draft: FormDraft<ChosenFields>;
}

/** Fields that every object has, and its links. */
const systemFields = [...systemColumns.map(({ name }) => name), 'links'];

/** Order, fields and expanded references: choices that the fields of the class give. */
export function ClassFields({ chosen, draft }: ClassFieldsProps) {
  const { values: input, change, errors } = draft;
  const own = chosen.schema.map(({ name }) => name);
  const excluded = splitNames(input.excluded_fields);
  const expanded = splitNames(input.expand);
  const references = chosen.schema.filter(
    ({ type }) => type === 'reference' || type === 'relation',
  );
  const show = (name: string, isShown: boolean) =>
    change({ excluded_fields: joinNames(toggle(excluded, name, !isShown)) });
  return (
    <>
      <SelectField
        label="Order"
        value={input.order_by ?? ''}
        onValue={(order) => change({ order_by: order === '' ? null : order })}
        error={errors.order_by}
        options={orders(chosen, input.order_by)}
      />
      <fieldset>
        <legend>Fields in the response</legend>
        <ErrorText>{errors.excluded_fields}</ErrorText>
        <Checks names={own} isOn={(name) => !excluded.includes(name)} onCheck={show} />
        <details>
          <summary>System fields</summary>
          <Checks names={systemFields} isOn={(name) => !excluded.includes(name)} onCheck={show} />
        </details>
      </fieldset>
      {references.length > 0 && (
        <fieldset>
          <legend>References to replace by their objects</legend>
          <ErrorText>{errors.expand}</ErrorText>
          <Checks
            names={references.map(({ name }) => name)}
            isOn={(name) => expanded.includes(name)}
            onCheck={(name, isOn) => change({ expand: joinNames(toggle(expanded, name, isOn)) })}
          />
        </fieldset>
      )}
    </>
  );
}

/** Orders that the indexes of the class allow, and the present one. */
function orders(chosen: ClassRecord, current: string | null): (readonly [string, string])[] {
  const fields = chosen.schema.filter((field) => field.order_index).map(({ name }) => name);
  const all = ['id', 'created_at', 'updated_at', ...fields].flatMap((name): [string, string][] => [
    [name, `${name}, ascending`],
    [`-${name}`, `${name}, descending`],
  ]);
  const isListed = current === null || all.some(([value]) => value === current);
  return [['', 'id (default)'], ...all, ...(isListed ? [] : [[current, current] as const])];
}

function toggle(names: readonly string[], name: string, isIn: boolean): string[] {
  const others = names.filter((each) => each !== name);
  return isIn ? [...others, name] : others;
}

interface ChecksProps {
  readonly names: readonly string[];
  readonly isOn: (name: string) => boolean;
  readonly onCheck: (name: string, isOn: boolean) => void;
}

function Checks({ names, isOn, onCheck }: ChecksProps) {
  return (
    <div class="checks">
      {names.map((name) => (
        <CheckField
          key={name}
          label={name}
          isChecked={isOn(name)}
          onChecked={(isChecked) => onCheck(name, isChecked)}
        />
      ))}
    </div>
  );
}
