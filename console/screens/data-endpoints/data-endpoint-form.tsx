import { useState } from 'preact/hooks';
import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { parseObject } from '../../core/json-text.ts';
import { useLoad } from '../../core/load.ts';
import { DescriptionField } from '../../parts/description-field.tsx';
import { AreaField, Form, SelectField, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { type ClassRecord, readClasses } from '../data/class-data.ts';
import { ClassFields } from './class-fields.tsx';
import type { DataEndpoint } from './data-endpoint-data.ts';

interface DataEndpointFormProps {
  readonly instance: string;
  /** Absent: a new one. */
  readonly endpoint?: DataEndpoint;
  /** Class of a new one; can be chosen. */
  readonly className?: string;
  readonly verb: string;
  readonly onSend: (input: Partial<DataEndpoint>) => Promise<void>;
}

/** The fields of a data endpoint, as far as its class allows. */
export function DataEndpointForm({
  instance,
  endpoint,
  className,
  ...form
}: DataEndpointFormProps) {
  const classes = useLoad(() => readClasses(instance), [instance]);
  const start = endpoint ?? { ...newEndpoint, class: className ?? '' };
  return (
    <LoadedData of={classes}>
      {(all) => <Fields isNew={endpoint === undefined} start={start} classes={all} {...form} />}
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

interface FieldsProps extends Pick<DataEndpointFormProps, 'verb' | 'onSend'> {
  readonly isNew: boolean;
  readonly start: DataEndpoint;
  readonly classes: readonly ClassRecord[];
}

function Fields({ isNew, start, classes, verb, onSend }: FieldsProps) {
  const [input, setInput] = useState(start);
  const [query, setQuery] = useState(writeExactJson(start.query, 2));
  const [pageSize, setPageSize] = useState(String(start.page_size ?? ''));
  const change = (changes: Partial<DataEndpoint>) => setInput({ ...input, ...changes });
  const chosen = classes.find(({ name }) => name === input.class);
  const send = () => {
    const { name, ...others } = input;
    const page_size = pageSize === '' ? null : Number(pageSize);
    const body = { ...others, query: { ...parseObject(query) }, page_size };
    return onSend(isNew ? { ...body, name } : body);
  };
  return (
    <Form verb={verb} onSend={send}>
      {(errors) => (
        <>
          {isNew && (
            <TextField
              label="Name"
              hint="A letter, then letters, digits, - and _. It is part of the address."
              value={input.name}
              onValue={(name) => change({ name })}
              error={errors.name}
              input={{ required: true, autocomplete: 'off', spellcheck: false }}
            />
          )}
          <SelectField
            label="Class"
            value={input.class}
            onValue={(name) => change({ ...classFields, class: name })}
            error={errors.class}
            options={[['', 'Choose a class'], ...classes.map(({ name }) => [name, name] as const)]}
          />
          <AreaField
            label="Query, as JSON"
            hint={queryHint(chosen)}
            value={query}
            onValue={setQuery}
            error={errors.query}
            isCode
          />
          {chosen !== undefined && <ClassFields {...{ chosen, input, change, errors }} />}
          <TextField
            label="Objects on a page"
            hint="From 1 to 100; empty: 100."
            value={pageSize}
            onValue={setPageSize}
            error={errors.page_size}
            input={{ type: 'number', min: 0, max: 100, step: 1 }}
          />
          <DescriptionField
            value={input.description}
            onValue={(description) => change({ description })}
            error={errors.description}
          />
        </>
      )}
    </Form>
  );
}

/** What names fields of the class, and is empty when another one is chosen. */
const classFields = { excluded_fields: null, expand: null, order_by: null };

function queryHint(chosen: ClassRecord | undefined): string {
  const fields = chosen?.schema.filter((field) => field.filter_index).map(({ name }) => name) ?? [];
  const usable = ['id', 'created_at', 'updated_at', ...fields].join(', ');
  return `For example { "id": { "_gt": 10 } }. Fields that can be used: ${usable}.`;
}
