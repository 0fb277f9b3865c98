import type { ClassFieldType, FieldDefinition } from '../../../shared/classes/rules/field-types.ts';
import { at, below } from '../../../shared/values/text/request-path.ts';
import { useLoad } from '../../core/load.ts';
import type { ApiRequest } from '../../core/request.ts';
import { href, type ScreenProps } from '../../core/router.ts';
import { Card } from '../../parts/card.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { toCurl, toFetch } from '../../parts/request-text.ts';
import { tabsOfClass } from '../../parts/tabs.tsx';
import { type ClassRecord, fetchClass } from './class-data.ts';

/** How a class is used by programs, with examples of its own fields. */
export function Screen({ names: { instance = '', class: name = '' } }: ScreenProps) {
  const record = useLoad((signal) => fetchClass(instance, name, { signal }), [instance, name]);
  return (
    <ScreenFrame
      title={`Reference of ${name}`}
      about="Requests for programs, with the fields of this class. Use an API key in apps."
      above={[
        { text: 'Classes', href: href(at`/i/${instance}/data`) },
        { text: name, href: href(at`/i/${instance}/data/${name}`) },
      ]}
      tabs={tabsOfClass(instance, name, 'API')}
    >
      <LoadedData of={record}>
        {(data) => examplesOf(instance, data).map((each) => <Example key={each.title} {...each} />)}
      </LoadedData>
    </ScreenFrame>
  );
}

interface ExampleText {
  readonly title: string;
  readonly request: ApiRequest;
  /** With the client that `groundwork types` writes. */
  readonly typed: string;
}

function Example({ title, request, typed }: ExampleText) {
  const forms = [
    ['curl', toCurl(request)],
    ['JavaScript', toFetch(request)],
    ['Typed client', typed],
  ] as const;
  return (
    <Card title={title}>
      {forms.map(([form, text]) => (
        <div key={form}>
          <h3>{form}</h3>
          <pre>{text}</pre>
          <CopyButton text={() => text} label={`Copy ${title}: ${form}`} />
        </div>
      ))}
    </Card>
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
  const list = at`instances/${instance}/classes/${name}/objects/`;
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
      title: 'List with a filter',
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
