import { useState } from 'preact/hooks';
import { writeExactJson } from '../../../../shared/values/json/exact-number.ts';
import { at } from '../../../../shared/values/text/request-path.ts';
import { parseObject } from '../../../core/json-text.ts';
import { toApiProblem } from '../../../core/load.ts';
import { href } from '../../../core/router.ts';
import { Button } from '../../../parts/button.tsx';
import { AreaField, SelectField, TextField } from '../../../parts/form.tsx';
import { TargetControl } from '../edit/value-control.tsx';
import type { ClassReference, ObjectColumn } from '../object-data.ts';
import {
  columnLookups,
  type FilterCondition,
  fromQuery,
  toQuery,
  type ValueKind,
  valueKind,
} from './conditions.ts';

/** A query and what can be asked in it. */
export interface QueryFilterProps {
  readonly ofClass: ClassReference;
  readonly columns: readonly ObjectColumn[];
  /** JSON as the interface takes it; undefined: all objects. */
  readonly query: string | undefined;
  readonly onQuery: (query: string | undefined) => void;
}

interface FilterFormProps extends QueryFilterProps {
  /** Of the condition; after the last one: a new one. */
  readonly index: number;
}

const neverIndexed: readonly string[] = ['text', 'file', 'object'];

/** Edits one condition of a query, or the query as JSON. Enter applies it. */
export function FilterForm({ ofClass, columns, query, index, onQuery }: FilterFormProps) {
  const conditions = fromQuery(query, columns);
  const [condition, setCondition] = useState(conditions?.[index] ?? firstCondition(columns));
  const [json, setJson] = useState(conditions === undefined ? query : undefined);
  const [error, setError] = useState<string>();
  const apply = () => {
    try {
      onQuery(json === undefined ? queryWith() : queryFrom(json));
    } catch (problem) {
      setError(toApiProblem(problem).message);
    }
  };
  const queryWith = () => toQuery((conditions ?? []).toSpliced(index, 1, condition), columns);
  const hasOthers = columns.some(isUnindexed);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: no form, because it can be in one; its button does the same
    <div
      class="stack"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
        if (event.currentTarget.querySelector('dialog') !== null) return; // a target is being chosen
        event.preventDefault();
        apply();
      }}
    >
      {json === undefined ? (
        <ConditionFields {...{ ofClass, columns, condition, error }} onChange={setCondition} />
      ) : (
        <AreaField
          label="Query"
          hint={'As in requests: {"title": {"_startswith": "A"}}'}
          isCode
          value={json}
          onValue={setJson}
          error={error}
        />
      )}
      <div class="actions">
        <Button class="main" onAct={apply} text="Apply" />
        {conditions !== undefined && (
          <Button
            class="link"
            onAct={() => setJson(json === undefined ? (query ?? '{}') : undefined)}
            text={json === undefined ? 'Write as JSON' : 'Choose a condition'}
          />
        )}
      </div>
      {hasOthers && json === undefined && (
        <p class="hint">
          Add filter indexes in{' '}
          <a href={href(at`/i/${ofClass.instance}/structure/${ofClass.className}`)}>Structure</a>.
        </p>
      )}
    </div>
  );
}

function queryFrom(json: string): string | undefined {
  const query = writeExactJson(parseObject(json));
  return query === '{}' ? undefined : query;
}

function isUnindexed({ mayFilter, isSystem, type }: ObjectColumn): boolean {
  return !mayFilter && !isSystem && !neverIndexed.includes(type);
}

function firstCondition(columns: readonly ObjectColumn[]): FilterCondition {
  return conditionOn(columns.find(({ mayFilter }) => mayFilter));
}

function conditionOn(column: ObjectColumn | undefined): FilterCondition {
  const lookup = column && columnLookups(column)[0]?.[0];
  return { field: column?.name ?? 'id', lookup: lookup ?? '_eq', text: '' };
}

interface ConditionFieldsProps extends Pick<QueryFilterProps, 'ofClass' | 'columns'> {
  readonly condition: FilterCondition;
  readonly error: string | undefined;
  readonly onChange: (condition: FilterCondition) => void;
}

function ConditionFields(props: ConditionFieldsProps) {
  const { ofClass, columns, condition, error, onChange } = props;
  const { field, lookup, text } = condition;
  const column = columns.find(({ name }) => name === field);
  if (column === undefined) return null;
  const offered = columns.filter((each) => each.mayFilter || isUnindexed(each));
  return (
    <>
      <SelectField
        label="Field"
        value={field}
        onValue={(name) => onChange(conditionOn(columns.find((each) => each.name === name)))}
        options={offered.map(({ name, mayFilter }) => [
          name,
          mayFilter ? name : `${name}: needs a filter index`,
          !mayFilter,
        ])}
      />
      <SelectField
        label="Condition"
        value={lookup}
        onValue={(next) => onChange({ field, lookup: next, text: '' })}
        options={columnLookups(column)}
      />
      <ValueField
        {...{ ofClass, column }}
        kind={valueKind(column, lookup)}
        text={text}
        error={error}
        onText={(next) => onChange({ ...condition, text: next })}
      />
    </>
  );
}

interface ValueFieldProps extends Pick<QueryFilterProps, 'ofClass'> {
  readonly column: ObjectColumn;
  readonly kind: ValueKind;
  readonly text: string;
  readonly error: string | undefined;
  readonly onText: (text: string) => void;
}

const hints: Readonly<Partial<Record<ValueKind, string>>> = {
  list: 'Several, separated by commas.',
  near: 'Latitude, longitude, kilometers.',
  query: 'A query on it, as JSON.',
  datetime: 'For example 2026-01-31T12:00Z.',
};

function ValueField({ ofClass, column, kind, text, error, onText }: ValueFieldProps) {
  const field = { label: 'Value', error, onValue: onText };
  const refers = column.type === 'reference' || column.type === 'relation';
  if (kind === 'boolean') {
    const options = [['true', 'yes'] as const, ['false', 'no'] as const];
    return <SelectField {...field} value={text === 'false' ? text : 'true'} options={options} />;
  }
  if (refers && (kind === 'number' || kind === 'list')) {
    const chosen = { ofClass, column, value: text, isMany: kind === 'list' };
    return <TargetControl {...field} {...chosen} input={{ autofocus: true }} />;
  }
  const input = kind === 'number' ? ({ type: 'number', step: 'any' } as const) : {};
  return (
    <TextField {...field} value={text} hint={hints[kind]} input={{ ...input, autofocus: true }} />
  );
}
