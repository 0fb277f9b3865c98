import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import type { ScreenProps } from '../../core/router.ts';
import { href, navigate } from '../../core/router.ts';
import { DangerButton } from '../../parts/danger-button.tsx';
import { confirm } from '../../parts/dialog.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { RenameDialog } from '../../parts/rename-dialog.tsx';
import type { DataEndpoint } from './data-endpoint-data.ts';
import { DataEndpointForm } from './data-endpoint-form.tsx';
import { EndpointPreview } from './endpoint-preview.tsx';

/** A data endpoint: how to call it, its first objects, and its fields. */
export function Screen({ names }: ScreenProps) {
  const { instance = '', name = '' } = names;
  const [isRenaming, setRenaming] = useState(false);
  const path = at`instances/${instance}/endpoints/data/${name}/`;
  const list = at`/i/${instance}/endpoints`;
  const endpoint = useLoad<DataEndpoint>((signal) => send({ method: 'GET', path, signal }), [path]);
  const save = async (body: Partial<DataEndpoint>) => {
    endpoint.setData(await send<DataEndpoint>({ method: 'PATCH', path, body }));
    notify('Saved.');
  };
  const remove = async (data: DataEndpoint) => {
    const isSure = await confirm({
      title: `Delete the data endpoint ${data.name}`,
      text: 'Apps that call it get 404 from now on. The objects stay.',
      verb: 'Delete the endpoint',
      name: data.name,
    });
    if (!isSure) return;
    await send({ method: 'DELETE', path });
    notify('The endpoint is deleted.');
    navigate(list);
  };
  return (
    <ScreenFrame
      title={name}
      about={endpoint.data?.description}
      above={[{ text: 'Endpoints', href: href(list) }]}
      actions={
        endpoint.data !== undefined && (
          <>
            <button type="button" onClick={() => setRenaming(true)}>
              Rename…
            </button>
            <DangerButton of={endpoint} onAct={remove} />
          </>
        )
      }
    >
      <LoadedData of={endpoint}>
        {(data) => (
          <>
            <EndpointPreview instance={instance} endpoint={data} />
            <section class="card" aria-labelledby="settings">
              <h2 id="settings">Settings</h2>
              <DataEndpointForm instance={instance} endpoint={data} verb="Save" onSend={save} />
            </section>
          </>
        )}
      </LoadedData>
      {isRenaming && (
        <RenameDialog
          thing="data endpoint"
          path={path}
          list={at`/i/${instance}/endpoints/data`}
          name={name}
          onClose={() => setRenaming(false)}
        />
      )}
    </ScreenFrame>
  );
}
