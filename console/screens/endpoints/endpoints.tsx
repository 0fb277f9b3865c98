import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { useList } from '../../core/load.ts';
import { href, type ScreenProps } from '../../core/router.ts';
import { AddLink, Button } from '../../parts/button.tsx';
import { linkColumn } from '../../parts/list-screen.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { ScriptLink, useScripts } from '../../parts/script-choice.tsx';
import type { TableColumn } from '../../parts/table.tsx';
import { type DataEndpoint, dataEndpointType } from '../data-endpoints/data-endpoint-data.ts';
import { type ScriptEndpoint, scriptEndpointType } from './endpoint-data.ts';
import { NewEndpoint } from './new-endpoint.tsx';

/** Endpoints that run scripts, and endpoints that return data, in one list. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const ofScripts = useList<ScriptEndpoint>(scriptEndpointType.path(instance));
  const ofData = useList<DataEndpoint>(dataEndpointType.path(instance));
  const scripts = useScripts(instance);
  const [isAdding, setAdding] = useState(false);
  const columns: TableColumn<ScriptEndpoint | DataEndpoint>[] = [
    { name: 'Name', cell: (each) => linkColumn(typeOf(each), instance).cell(each) },
    { name: 'Kind', cell: (each) => ('script' in each ? 'Script' : 'Data') },
    {
      name: 'Script or class',
      cell: (each) =>
        'script' in each ? (
          <ScriptLink instance={instance} scripts={scripts.data ?? []} id={each.script} />
        ) : (
          <a href={href(at`/i/${instance}/data/${each.class}`)}>{each.class}</a>
        ),
    },
    { name: 'Public', cell: (each) => ('public' in each && each.public ? 'Yes' : 'No') },
    { name: 'Description', cell: ({ description }) => description },
  ];
  const isUnknown = ofScripts.data === undefined && ofData.data === undefined;
  return (
    <ScreenFrame
      title="Endpoints"
      about="An endpoint is an address for your app: it runs a script, or returns objects of a class."
      actions={
        <>
          <Button
            class="main"
            sends={{ method: 'POST', path: scriptEndpointType.path(instance) }}
            onAct={() => setAdding(true)}
            text="New script endpoint"
          />
          <AddLink
            class="button"
            sends={{ method: 'POST', path: dataEndpointType.path(instance) }}
            href={href(dataEndpointType.place(instance))}
            text="New data endpoint"
          />
        </>
      }
    >
      <LoadedTable
        of={{
          data: isUnknown ? undefined : [...(ofScripts.data ?? []), ...(ofData.data ?? [])],
          problem: ofScripts.problem ?? ofData.problem,
          isLoading: ofScripts.isLoading || ofData.isLoading,
          reload: () => {
            ofScripts.reload();
            ofData.reload();
          },
        }}
        caption="Endpoints"
        keyOf={(each) => `${typeOf(each).noun} ${each.name}`}
        columns={columns}
        empty={<Empty>No endpoints yet. Create one to call it from your app.</Empty>}
      />
      {isAdding && (
        <LoadedData of={scripts}>
          {(all) => (
            <NewEndpoint instance={instance} scripts={all} onClose={() => setAdding(false)} />
          )}
        </LoadedData>
      )}
    </ScreenFrame>
  );
}

function typeOf(endpoint: ScriptEndpoint | DataEndpoint) {
  return 'script' in endpoint ? scriptEndpointType : dataEndpointType;
}
