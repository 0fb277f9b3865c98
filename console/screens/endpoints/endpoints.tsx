import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll, send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import type { ScreenProps } from '../../core/router.ts';
import { currentLocation, href, navigate, setQuery } from '../../core/router.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, Form, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import {
  ScriptField,
  ScriptLink,
  type ScriptName,
  useScripts,
} from '../../parts/script-choice.tsx';
import { Table } from '../../parts/table.tsx';
import type { DataEndpoint } from '../data-endpoints/data-endpoint-data.ts';
import type { ScriptEndpoint } from './endpoint-data.ts';

/** Addresses that run scripts, and addresses that return data. */
export function Screen({ names }: ScreenProps) {
  const { instance = '' } = names;
  const endpoints = useLoad(
    () => readAll<ScriptEndpoint>(at`instances/${instance}/endpoints/scripts/`),
    [instance],
  );
  const scripts = useScripts(instance);
  const data = useLoad(
    () => readAll<DataEndpoint>(at`instances/${instance}/endpoints/data/`),
    [instance],
  );
  const wanted = currentLocation.value.query.get('script'); // of a new endpoint
  return (
    <ScreenFrame
      title="Endpoints"
      about="Addresses that run a script, or return objects of a class."
      actions={
        <>
          <button type="button" class="main" onClick={() => setQuery({ script: 'new' })}>
            New script endpoint
          </button>
          <a class="button" href={href(at`/i/${instance}/endpoints/data`)}>
            New data endpoint
          </a>
        </>
      }
    >
      <h2>Script endpoints</h2>
      <LoadedData of={endpoints}>
        {(all) => (
          <ScriptEndpoints instance={instance} endpoints={all} scripts={scripts.data ?? []} />
        )}
      </LoadedData>
      <h2>Data endpoints</h2>
      <LoadedData of={data}>
        {(all) => <DataEndpoints instance={instance} endpoints={all} />}
      </LoadedData>
      {wanted !== null && scripts.data !== undefined && (
        <NewEndpoint instance={instance} scripts={scripts.data} wanted={wanted} />
      )}
    </ScreenFrame>
  );
}

interface ScriptEndpointsProps {
  readonly instance: string;
  readonly endpoints: readonly ScriptEndpoint[];
  readonly scripts: readonly ScriptName[];
}

function ScriptEndpoints({ instance, endpoints, scripts }: ScriptEndpointsProps) {
  if (endpoints.length === 0) return <p class="soft">None.</p>;
  return (
    <Table
      caption="Script endpoints"
      keyOf={({ name }) => name}
      rows={endpoints}
      columns={[
        {
          name: 'Name',
          cell: ({ name }) => (
            <a href={href(at`/i/${instance}/endpoints/scripts/${name}`)}>{name}</a>
          ),
        },
        {
          name: 'Script',
          cell: ({ script }) => <ScriptLink instance={instance} scripts={scripts} id={script} />,
        },
        { name: 'Public', cell: (endpoint) => (endpoint.public ? 'yes' : 'no') },
        { name: 'Description', cell: ({ description }) => description },
      ]}
    />
  );
}

interface DataEndpointsProps {
  readonly instance: string;
  readonly endpoints: readonly DataEndpoint[];
}

function DataEndpoints({ instance, endpoints }: DataEndpointsProps) {
  if (endpoints.length === 0) return <p class="soft">None.</p>;
  return (
    <Table
      caption="Data endpoints"
      keyOf={({ name }) => name}
      rows={endpoints}
      columns={[
        {
          name: 'Name',
          cell: ({ name }) => <a href={href(at`/i/${instance}/endpoints/data/${name}`)}>{name}</a>,
        },
        { name: 'Class', cell: (endpoint) => endpoint.class },
        { name: 'Description', cell: ({ description }) => description },
      ]}
    />
  );
}

interface NewEndpointProps {
  readonly instance: string;
  readonly scripts: readonly ScriptName[];
  /** Id of its script, or `new`. */
  readonly wanted: string;
}

function NewEndpoint({ instance, scripts, wanted }: NewEndpointProps) {
  const [name, setName] = useState('');
  const [script, setScript] = useState(wanted === 'new' ? String(scripts[0]?.id ?? '') : wanted);
  const [isPublic, setPublic] = useState(false);
  const close = () => setQuery({ script: undefined });
  const create = async () => {
    const body = { name, script: Number(script), public: isPublic };
    const path = at`instances/${instance}/endpoints/scripts/`;
    const made = await send<ScriptEndpoint>({ method: 'POST', path, body });
    navigate(at`/i/${instance}/endpoints/scripts/${made.name}`);
  };
  return (
    <Dialog title="New script endpoint" onClose={close}>
      <Form verb="Create the endpoint" onSend={create} onCancel={close}>
        {(errors) => (
          <>
            <TextField
              label="Name"
              hint="A letter, then letters, digits, - and _. It is part of the address."
              value={name}
              onValue={setName}
              error={errors.name}
              input={{ required: true, autocomplete: 'off', spellcheck: false }}
            />
            <ScriptField
              instance={instance}
              scripts={scripts}
              value={script}
              onValue={setScript}
              error={errors.script}
            />
            <CheckField
              label="Anyone with its public link may call it"
              isChecked={isPublic}
              onChecked={setPublic}
              error={errors.public}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
