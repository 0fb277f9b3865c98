import { useState } from 'preact/hooks';
import { useList } from '../../core/load.ts';
import { Button } from '../../parts/button.tsx';
import { linkColumn } from '../../parts/list-screen.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import type { ScriptName } from '../../parts/script-choice.tsx';
import { type ScriptEndpoint, scriptEndpointType } from './endpoint-data.ts';
import { NewEndpoint } from './new-endpoint.tsx';

interface ScriptEndpointsProps {
  readonly instance: string;
  readonly script: ScriptName;
}

/** The endpoints that run a script. */
export function ScriptEndpoints({ instance, script }: ScriptEndpointsProps) {
  const all = useList<ScriptEndpoint>(scriptEndpointType.path(instance));
  const [isAdding, setAdding] = useState(false);
  const endpoints = all.data?.filter((each) => each.script === script.id);
  return (
    <>
      <LoadedTable
        of={{ ...all, data: endpoints }}
        caption="Endpoints of the script"
        keyOf={scriptEndpointType.keyOf}
        columns={[
          linkColumn(scriptEndpointType, instance),
          { name: 'Public', cell: (endpoint) => (endpoint.public ? 'Yes' : 'No') },
          { name: 'Description', cell: ({ description }) => description },
        ]}
        empty={<p class="soft">No endpoints yet. Create one to call this script over HTTP.</p>}
      />
      <div class="actions">
        <Button
          sends={{ method: 'POST', path: scriptEndpointType.path(instance) }}
          onAct={() => setAdding(true)}
          text="New endpoint"
        />
      </div>
      {isAdding && (
        <NewEndpoint instance={instance} scripts={[script]} onClose={() => setAdding(false)} />
      )}
    </>
  );
}
