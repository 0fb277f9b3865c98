import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll, send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import type { ScreenProps } from '../../core/router.ts';
import { currentLocation, href, navigate, setQuery } from '../../core/router.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Form, SelectField, TextField } from '../../parts/form.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import {
  entryFields,
  languageOf,
  runtimeOptions,
  runtimeText,
  type Script,
  scriptName,
} from './script-data.ts';

/** The scripts of an instance, and a form for another one. */
export function Screen({ names }: ScreenProps) {
  const { instance = '' } = names;
  const [isAdding, setAdding] = useState(false);
  const path = at`instances/${instance}/snippets/scripts/`;
  const scripts = useLoad(() => readAll<Script>(path, { fields: entryFields }), [instance]);
  const add = (
    <button type="button" class="main" onClick={() => setAdding(true)}>
      New script
    </button>
  );
  return (
    <ScreenFrame
      title="Scripts"
      about="Programs in JavaScript or Python that the server runs: on demand, at an address, after a change of data, or by the clock."
      actions={add}
    >
      <LoadedData of={scripts}>
        {(all) =>
          all.length === 0 ? (
            <Empty>
              <p>There is no script yet.</p>
              {add}
            </Empty>
          ) : (
            <ScriptTable instance={instance} scripts={all} />
          )
        }
      </LoadedData>
      {isAdding && <NewScript instance={instance} onClose={() => setAdding(false)} />}
    </ScreenFrame>
  );
}

interface ScriptTableProps {
  readonly instance: string;
  readonly scripts: readonly Script[];
}

function ScriptTable({ instance, scripts }: ScriptTableProps) {
  const wanted = currentLocation.value.query.get('label') ?? '';
  const shown = scripts.filter((each) =>
    scriptName(each).toLowerCase().includes(wanted.toLowerCase()),
  );
  return (
    <>
      <div class="narrow">
        <TextField
          label="Find by label"
          value={wanted}
          onValue={(label) => setQuery({ label })}
          input={{ type: 'search', autocomplete: 'off' }}
        />
      </div>
      {shown.length === 0 ? (
        <p role="status">No label has this text.</p>
      ) : (
        <Table
          caption="Scripts"
          keyOf={({ id }) => id}
          rows={shown}
          columns={[
            {
              name: 'Label',
              cell: (script) => (
                <a href={href(at`/i/${instance}/scripts/${script.id}`)}>{scriptName(script)}</a>
              ),
            },
            {
              name: 'Runtime',
              cell: ({ runtime_name }) => (
                <>
                  {runtimeText(runtime_name)} <span class="soft">{runtime_name}</span>
                </>
              ),
            },
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

interface NewScriptProps {
  readonly instance: string;
  readonly onClose: () => void;
}

function NewScript({ instance, onClose }: NewScriptProps) {
  const [label, setLabel] = useState('');
  const [runtime, setRuntime] = useState('nodejs');
  const create = async () => {
    const body = { label, runtime_name: runtime, source: firstSources[languageOf(runtime)] };
    const path = at`instances/${instance}/snippets/scripts/`;
    const { id } = await send<Script>({ method: 'POST', path, body });
    navigate(at`/i/${instance}/scripts/${id}`);
  };
  return (
    <Dialog title="New script" onClose={onClose}>
      <Form verb="Create the script" onSend={create} onCancel={onClose}>
        {(errors) => (
          <>
            <TextField
              label="Label"
              hint="What people call it. It can be changed."
              value={label}
              onValue={setLabel}
              error={errors.label}
              input={{ required: true, autocomplete: 'off', maxLength: 80 }}
            />
            <SelectField
              label="Runtime"
              value={runtime}
              onValue={setRuntime}
              error={errors.runtime_name}
              options={runtimeOptions(runtime)}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
