import { currentLocation, setQuery } from '../../core/router.ts';
import { DraftForm, type NewItemProps } from '../../parts/draft-form.tsx';
import { SelectField, TextField } from '../../parts/form.tsx';
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
  form: NewScript,
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

function NewScript({ onSend, onCancel }: NewItemProps) {
  return (
    <DraftForm
      start={{ label: '', runtime_name: 'nodejs' }}
      verb="Create script"
      onSend={(values) =>
        onSend({ ...values, source: firstSources[languageOf(values.runtime_name)] })
      }
      onCancel={onCancel}
    >
      {({ values, text }) => (
        <>
          <TextField
            label="Label"
            hint="You can change it later."
            input={{ required: true, autocomplete: 'off', maxLength: 80 }}
            {...text('label')}
          />
          <SelectField
            label="Runtime"
            options={runtimeOptions(values.runtime_name)}
            {...text('runtime_name')}
          />
        </>
      )}
    </DraftForm>
  );
}
