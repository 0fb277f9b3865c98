import { currentLocation, setQuery } from '../../core/router.ts';
import { labelInput, TextField } from '../../parts/form.tsx';
import { defineList, type ItemsProps, linkColumn } from '../../parts/list-screen.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import {
  type ListedScript,
  languageOf,
  runtimeOptions,
  runtimeText,
  scriptName,
  scriptType,
} from './script-data.ts';

/** The scripts of an instance. */
export const Screen = defineList<ListedScript>({
  type: scriptType,
  about:
    'JavaScript or Python that runs on the server: on demand, at an endpoint, when data changes, or on a schedule.',
  empty: 'No scripts yet. Create one to run code on the server.',
  query: () => ({ fields: 'id,label,runtime_name,updated_at' }),
  form: [
    {
      kind: 'text',
      name: 'label',
      label: 'Label',
      hint: 'You can change it later.',
      input: { ...labelInput, required: true },
    },
    {
      kind: 'choice',
      name: 'runtime_name',
      label: 'Runtime',
      options: runtimeOptions('nodejs'),
      start: 'nodejs',
    },
  ],
  complete: (body) => ({ ...body, source: sourceFor(body) }),
  table: ScriptTable,
});

function ScriptTable({ instance, items }: ItemsProps<ListedScript>) {
  const wanted = currentLocation.value.query.get('label') ?? '';
  const shown = items.filter((each) =>
    scriptName(each).toLowerCase().includes(wanted.toLowerCase()),
  );
  return (
    <>
      <div class="narrow">
        <TextField
          label="Find a script"
          value={wanted}
          onValue={(label) => setQuery({ label })}
          input={{ type: 'search', autocomplete: 'off' }}
        />
      </div>
      {shown.length === 0 ? (
        <p role="status">No script has this in its label.</p>
      ) : (
        <Table
          caption="Scripts"
          keyOf={scriptType.keyOf}
          rows={shown}
          columns={[
            linkColumn(scriptType, instance, 'Label'),
            { name: 'Runtime', cell: ({ runtime_name }) => runtimeText(runtime_name) },
            { name: 'Last changed', cell: ({ updated_at }) => <Time value={updated_at} /> },
          ]}
        />
      )}
    </>
  );
}

const firstSources = {
  javascript: "const { name = 'world' } = ARGS;\nconsole.log('Hello, ' + name + '!');\n",
  python: "name = ARGS.get('name', 'world')\nprint(f'Hello, {name}!')\n",
};

function sourceFor(body: object): string {
  return firstSources[languageOf('runtime_name' in body ? String(body.runtime_name) : '')];
}
