import { useEffect, useState } from 'preact/hooks';
import { writeExactJson } from '../../../../shared/values/json/exact-number.ts';
import { parseObject } from '../../../core/json-text.ts';
import { setQuery } from '../../../core/router.ts';
import { Button } from '../../../parts/button.tsx';
import { DraftForm } from '../../../parts/draft-form.tsx';
import { AreaField, Form, SelectField, TextField } from '../../../parts/form.tsx';
import type { ObjectColumn } from '../object-data.ts';
import {
  columnLookups,
  type FilterCondition,
  fromQuery,
  toQuery,
  type ValueKind,
  valueKind,
} from './conditions.ts';

interface FilterBarProps {
  readonly columns: readonly ObjectColumn[];
  readonly query: string | undefined;
  readonly orderBy: string | undefined;
}

/** Filter and order of the objects. Both are in the address of the screen. */
export function FilterBar({ columns, query, orderBy }: FilterBarProps) {
  const usable = columns.filter(({ mayFilter }) => mayFilter);
  const fromAddress = fromQuery(query, columns);
  const [conditions, setConditions] = useState(fromAddress ?? []);
  const [isText, setText] = useState(fromAddress === undefined);
  useEffect(() => setConditions(fromAddress ?? []), [query]);
  return (
    <details class="filter" open={query !== undefined}>
      <summary>Filter and order{query !== undefined && ' (filtered)'}</summary>
      <div class="card">
        <OrderField columns={columns} orderBy={orderBy} />
        {isText ? (
          <QueryText key={query} query={query} />
        ) : (
          <Form
            verb="Filter"
            onSend={async () => setQuery({ query: toQuery(conditions, columns) })}
          >
            {() => (
              <>
                <Conditions all={conditions} onAll={setConditions} columns={usable} />
                <p class="hint">
                  Fields with a filter index are offered. All conditions must hold.
                </p>
              </>
            )}
          </Form>
        )}
        <div class="actions">
          {query !== undefined && (
            <Button onAct={() => setQuery({ query: undefined })} text="Remove the filter" />
          )}
          {(!isText || fromAddress !== undefined) && (
            <Button
              class="link"
              onAct={() => setText(!isText)}
              text={isText ? 'Choose conditions' : 'Write the query as text'}
            />
          )}
        </div>
      </div>
    </details>
  );
}

function OrderField({ columns, orderBy }: Pick<FilterBarProps, 'columns' | 'orderBy'>) {
  const options = columns
    .filter(({ maySort }) => maySort)
    .flatMap(({ name }) => [
      [name, `${name}, ascending`] as const,
      [`-${name}`, `${name}, descending`] as const,
    ]);
  return (
    <SelectField
      label="Order"
      value={orderBy ?? 'id'}
      onValue={(value) => setQuery({ order_by: value === 'id' ? undefined : value })}
      options={options}
    />
  );
}

function QueryText({ query = '' }: { readonly query?: string | undefined }) {
  const apply = async (text: string) => {
    const isEmpty = text.trim() === '';
    setQuery({ query: isEmpty ? undefined : writeExactJson(parseObject(text)) });
  };
  return (
    <DraftForm start={{ query }} verb="Filter" onSend={(values) => apply(values.query)}>
      {({ text }) => (
        <AreaField
          label="Query"
          hint={'JSON as the interface takes it: {"title": {"_startswith": "A"}}'}
          isCode
          {...text('query')}
        />
      )}
    </DraftForm>
  );
}

interface ConditionsProps {
  readonly all: readonly FilterCondition[];
  readonly onAll: (all: readonly FilterCondition[]) => void;
  readonly columns: readonly ObjectColumn[];
}

function Conditions({ all, onAll, columns }: ConditionsProps) {
  const add = () => {
    const [first] = columns;
    if (first === undefined) return;
    onAll([...all, { field: first.name, lookup: columnLookups(first)[0]?.[0] ?? '_eq', text: '' }]);
  };
  return (
    <>
      {all.map((condition, index) => (
        <ConditionRow
          key={index}
          condition={condition}
          columns={columns}
          onChange={(changed) => onAll(all.with(index, changed))}
          onRemove={() => onAll(all.toSpliced(index, 1))}
        />
      ))}
      <Button class="small" onAct={add} text="Add a condition" />
    </>
  );
}

interface ConditionRowProps {
  readonly condition: FilterCondition;
  readonly columns: readonly ObjectColumn[];
  readonly onChange: (condition: FilterCondition) => void;
  readonly onRemove: () => void;
}

function ConditionRow({ condition, columns, onChange, onRemove }: ConditionRowProps) {
  const { field, lookup, text } = condition;
  const column = columns.find(({ name }) => name === field);
  if (column === undefined) return null;
  const choose = (name: string) => {
    const next = columns.find((each) => each.name === name) ?? column;
    onChange({ field: name, lookup: columnLookups(next)[0]?.[0] ?? '_eq', text: '' });
  };
  return (
    <div class="row condition">
      <SelectField
        label="Field"
        value={field}
        onValue={choose}
        options={columns.map(({ name }) => [name, name])}
      />
      <SelectField
        label="Condition"
        value={lookup}
        onValue={(next) => onChange({ field, lookup: next, text: '' })}
        options={columnLookups(column)}
      />
      <ValueField
        kind={valueKind(column, lookup)}
        text={text}
        onText={(next) => onChange({ ...condition, text: next })}
      />
      <Button class="small" onAct={onRemove} text="Remove" />
    </div>
  );
}

interface ValueFieldProps {
  readonly kind: ValueKind;
  readonly text: string;
  readonly onText: (text: string) => void;
}

const labels: Readonly<Record<ValueKind, string>> = {
  boolean: 'Value',
  list: 'Values, with commas between',
  near: 'Latitude, longitude, kilometers',
  query: 'Query on it, as JSON',
  number: 'Value',
  datetime: 'Date or time, as 2026-01-31T12:00Z',
  text: 'Value',
};

function ValueField({ kind, text, onText }: ValueFieldProps) {
  if (kind === 'boolean') {
    const options = [['true', 'yes'] as const, ['false', 'no'] as const];
    const value = text === 'false' ? text : 'true';
    return <SelectField label="Value" value={value} onValue={onText} options={options} />;
  }
  return (
    <TextField
      label={labels[kind]}
      value={text}
      onValue={onText}
      input={{ required: true, ...(kind === 'number' && { type: 'number', step: 'any' }) }}
    />
  );
}
