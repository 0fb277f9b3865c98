import { useState } from 'preact/hooks';
import type { ClassFieldType, FieldDefinition } from '../../../shared/classes/rules/field-types.ts';
import { below } from '../../../shared/values/text/request-path.ts';
import { useRecord } from '../../core/load.ts';
import type { ApiRequest } from '../../core/request.ts';
import type { ScreenProps } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { CodeSamples, requestSamples } from '../../parts/code-samples.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { type ClassRecord, classPath } from './class-data.ts';
import { ClassFrame } from './class-frame.tsx';

/** How a class is used by programs, with examples of its own fields. */
export function Screen({ names: { instance = '', class: name = '' } }: ScreenProps) {
  const record = useRecord<ClassRecord>(classPath(instance, name));
  return (
    <ClassFrame
      instance={instance}
      name={name}
      tab="API"
      about="Sample requests for this class. Apps send an API key instead of your account key."
    >
      <LoadedData of={record}>{(data) => <Examples all={examplesOf(instance, data)} />}</LoadedData>
    </ClassFrame>
  );
}

interface ExampleText {
  readonly title: string;
  readonly request: ApiRequest;
  /** With the client that `groundwork types` writes. */
  readonly typed: string;
}

function Examples({ all }: { readonly all: readonly ExampleText[] }) {
  const [title, setTitle] = useState('List');
  const shown = all.find((each) => each.title === title);
  return (
    <div class="stack">
      <div class="actions">
        {all.map((each) => (
          <Button
            key={each.title}
            aria-pressed={each === shown}
            onAct={() => setTitle(each.title)}
            text={each.title}
          />
        ))}
      </div>
      {shown && <CodeSamples label={title} samples={requestSamples(shown.request, shown.typed)} />}
    </div>
  );
}

const samples: Readonly<Partial<Record<ClassFieldType, unknown>>> = {
  string: 'a text',
  text: 'a long text',
  integer: 7,
  float: 1.5,
  boolean: true,
  datetime: '2026-01-31T12:00:00.000000Z',
  reference: 1,
  relation: [1, 2],
  array: ['a', 'b'],
  object: { key: 'value' },
  geopoint: { longitude: 13.4, latitude: 52.5 },
};

function examplesOf(instance: string, { name, schema }: ClassRecord): readonly ExampleText[] {
  const list = below(classPath(instance, name))`objects/`;
  const values = Object.fromEntries(
    schema.flatMap(({ name, type }) =>
      samples[type] === undefined ? [] : [[name, samples[type]]],
    ),
  );
  const change = {
    ...Object.fromEntries(Object.entries(values).slice(0, 1)),
    expected_revision: 1,
  };
  const where = conditionOf(schema);
  const order = schema.find(({ order_index }) => order_index)?.name ?? 'id';
  const member = clientMembers.has(name) ? `${name}_class` : name;
  const call = (method: string, ...values: readonly unknown[]) =>
    `await db.${member}.${method}(${values.map((value) => JSON.stringify(value)).join(', ')});`;
  const query = { query: JSON.stringify(where), order_by: `-${order}` };
  return [
    {
      title: 'Create',
      request: { method: 'POST', path: list, body: values },
      typed: call('create', values),
    },
    { title: 'Get', request: { method: 'GET', path: below(list)`1/` }, typed: call('get', 1) },
    {
      title: 'List',
      request: { method: 'GET', path: list, query },
      typed: call('list', { where, orderBy: `-${order}` }),
    },
    {
      title: 'Update',
      request: { method: 'PATCH', path: below(list)`1/`, body: change },
      typed: call('update', 1, change),
    },
    {
      title: 'Delete',
      request: { method: 'DELETE', path: below(list)`1/` },
      typed: call('delete', 1),
    },
  ];
}

const clientMembers = new Set(
  ['login', 'logout', 'run', 'publish', 'subscribe', 'request', 'endpoints', 'then'], // docs/guides/typed-client.md
);

/** Returns a query of the first field with a filter index, or of the time of creation. */
function conditionOf(schema: readonly FieldDefinition[]): object {
  const field = schema.find(({ filter_index }) => filter_index);
  if (field === undefined) return { created_at: { _gte: samples.datetime } };
  const { name, type } = field;
  if (type === 'geopoint')
    return { [name]: { _near: { ...Object(samples.geopoint), distance_in_kilometers: 5 } } };
  const isList = type === 'array' || type === 'relation';
  return { [name]: { [isList ? '_contains' : '_eq']: samples[type] } };
}
