import { send } from '../../core/api.ts';
import { useList } from '../../core/load.ts';
import { itemPlace } from '../../core/record-type.ts';
import { currentLocation, href, navigate, type ScreenProps, setQuery } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { FormDialog } from '../../parts/draft-form.tsx';
import { CheckField, NameField } from '../../parts/form.tsx';
import { linkColumn } from '../../parts/list-screen.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import {
  ScriptField,
  ScriptLink,
  type ScriptName,
  useScripts,
} from '../../parts/script-choice.tsx';
import { type DataEndpoint, dataEndpointType } from '../data-endpoints/data-endpoint-data.ts';
import { type ScriptEndpoint, scriptEndpointType } from './endpoint-data.ts';

/** Addresses that run scripts, and addresses that return data. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const endpoints = useList<ScriptEndpoint>(scriptEndpointType.path(instance));
  const scripts = useScripts(instance);
  const data = useList<DataEndpoint>(dataEndpointType.path(instance));
  const wanted = currentLocation.value.query.get('script'); // of a new endpoint
  return (
    <ScreenFrame
      title="Endpoints"
      about="Addresses that run a script, or return objects of a class."
      actions={
        <>
          <Button
            class="main"
            onAct={() => setQuery({ script: 'new' })}
            text="New script endpoint"
          />
          <a class="button" href={href(dataEndpointType.place(instance))}>
            New data endpoint
          </a>
        </>
      }
    >
      <h2>Script endpoints</h2>
      <LoadedTable
        of={endpoints}
        caption="Script endpoints"
        keyOf={scriptEndpointType.keyOf}
        empty={<p class="soft">None.</p>}
        columns={[
          linkColumn(scriptEndpointType, instance),
          {
            name: 'Script',
            cell: ({ script }) => (
              <ScriptLink instance={instance} scripts={scripts.data ?? []} id={script} />
            ),
          },
          { name: 'Public', cell: (endpoint) => (endpoint.public ? 'yes' : 'no') },
          { name: 'Description', cell: ({ description }) => description },
        ]}
      />
      <h2>Data endpoints</h2>
      <LoadedTable
        of={data}
        caption="Data endpoints"
        keyOf={dataEndpointType.keyOf}
        empty={<p class="soft">None.</p>}
        columns={[
          linkColumn(dataEndpointType, instance),
          { name: 'Class', cell: (endpoint) => endpoint.class },
          { name: 'Description', cell: ({ description }) => description },
        ]}
      />
      {wanted !== null && scripts.data !== undefined && (
        <NewEndpoint instance={instance} scripts={scripts.data} wanted={wanted} />
      )}
    </ScreenFrame>
  );
}

interface NewEndpointProps {
  readonly instance: string;
  readonly scripts: readonly ScriptName[];
  /** Id of its script, or `new`. */
  readonly wanted: string;
}

function NewEndpoint({ instance, scripts, wanted }: NewEndpointProps) {
  const create = async (body: object) => {
    const path = scriptEndpointType.path(instance);
    const made = await send<ScriptEndpoint>({ method: 'POST', path, body });
    navigate(itemPlace(scriptEndpointType, instance, made));
  };
  const script = wanted === 'new' ? String(scripts[0]?.id ?? '') : wanted;
  return (
    <FormDialog
      title="New script endpoint"
      start={{ name: '', script, public: false }}
      verb="Create the endpoint"
      onSend={(values) => create({ ...values, script: Number(values.script) })}
      onClose={() => setQuery({ script: undefined })}
    >
      {({ text, check }) => (
        <>
          <NameField {...text('name')} />
          <ScriptField instance={instance} scripts={scripts} {...text('script')} />
          <CheckField label="Anyone with its public link may call it" {...check('public')} />
        </>
      )}
    </FormDialog>
  );
}
