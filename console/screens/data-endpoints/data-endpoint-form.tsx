import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { parseObject } from '../../core/json-text.ts';
import { useLoad } from '../../core/load.ts';
import { DraftForm, type FormDraft, type ItemFormProps } from '../../parts/draft-form.tsx';
import { ErrorText } from '../../parts/field-messages.tsx';
import { DescriptionField, NameField, SelectField, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { type ClassRecord, readClasses } from '../data/class-data.ts';
import { QueryFilter } from '../objects/filter/query-filter.tsx';
import { columnsOf } from '../objects/object-data.ts';
import { ClassFields } from './class-fields.tsx';
import type { DataEndpoint } from './data-endpoint-data.ts';

interface DataEndpointFormProps extends ItemFormProps<DataEndpoint> {
  /** Class of a new one; can be chosen. */
  readonly className?: string;
}

/** The fields of a data endpoint, as far as its class allows. */
export function DataEndpointForm(props: DataEndpointFormProps) {
  const { instance, item, className = '', sends, onSend } = props;
  const classes = useLoad(() => readClasses(instance), [instance]);
  const { name, query, page_size, ...others } = item ?? { ...newEndpoint, class: className };
  const isNew = item === undefined;
  return (
    <LoadedData of={classes}>
      {(all) => (
        <DraftForm
          start={{
            ...others,
            name,
            query: writeExactJson(query),
            page_size: String(page_size ?? ''),
          }}
          verb={isNew ? 'Create endpoint' : 'Save'}
          sends={sends}
          onSend={({ name: typed, ...values }) =>
            onSend({
              ...values,
              ...(isNew && { name: typed }),
              query: { ...parseObject(values.query) },
              page_size: values.page_size === '' ? null : Number(values.page_size),
            })
          }
        >
          {(draft) => <Fields {...{ draft, instance, isNew }} classes={all} />}
        </DraftForm>
      )}
    </LoadedData>
  );
}

const newEndpoint: DataEndpoint = {
  name: '',
  description: '',
  class: '',
  query: {},
  excluded_fields: null,
  expand: null,
  order_by: null,
  page_size: null,
};

/** A data endpoint as it is typed. */
interface DataEndpointDraft extends Omit<DataEndpoint, 'query' | 'page_size'> {
  readonly query: string;
  readonly page_size: string;
}

interface FieldsProps {
  readonly draft: FormDraft<DataEndpointDraft>;
  readonly instance: string;
  readonly isNew: boolean;
  readonly classes: readonly ClassRecord[];
}

function Fields({ draft, instance, isNew, classes }: FieldsProps) {
  const { values, text, change, errors } = draft;
  const chosen = classes.find(({ name }) => name === values.class);
  return (
    <>
      {isNew && <NameField {...text('name')} />}
      <SelectField
        label="Class"
        required
        options={[['', 'Choose a class'], ...classes.map(({ name }) => [name, name] as const)]}
        {...text('class')}
        onValue={(name) => change({ ...noChoices, class: name })}
      />
      {chosen !== undefined && (
        <>
          <fieldset>
            <legend>Filter</legend>
            <QueryFilter
              ofClass={{ instance, className: chosen.name }}
              columns={columnsOf(chosen)}
              query={values.query === noChoices.query ? undefined : values.query}
              onQuery={(query = noChoices.query) => change({ query })}
            />
            <ErrorText>{errors.query}</ErrorText>
          </fieldset>
          <ClassFields chosen={chosen} draft={draft} />
        </>
      )}
      <TextField
        label="Objects per page"
        hint="1 to 100; empty for 100."
        input={{ type: 'number', min: 0, max: 100, step: 1 }}
        {...text('page_size')}
      />
      <DescriptionField {...text('description')} />
    </>
  );
}

/** What names fields of the class, when another one is chosen. */
const noChoices = { query: '{}', excluded_fields: null, expand: null, order_by: null };
