import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll, send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import type { ScreenProps } from '../../core/router.ts';
import { href, navigate } from '../../core/router.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { type Channel, permissionTexts, typeTexts } from './channel-data.ts';
import { ChannelForm } from './channel-form.tsx';

/** The channels of an instance, and a form for another one. */
export function Screen({ names }: ScreenProps) {
  const { instance = '' } = names;
  const [isAdding, setAdding] = useState(false);
  const path = at`instances/${instance}/channels/`;
  const channels = useLoad(() => readAll<Channel>(path), [path]);
  const create = async (body: Partial<Channel>) => {
    const { name } = await send<Channel>({ method: 'POST', path, body });
    navigate(at`/i/${instance}/channels/${name}`);
  };
  return (
    <ScreenFrame
      title="Channels"
      about="A channel brings messages to clients as they come: what others publish, and what changes in your data."
      actions={
        <button type="button" class="main" onClick={() => setAdding(true)}>
          New channel
        </button>
      }
    >
      <LoadedData of={channels}>
        {(all) => (
          <Table
            caption="Channels"
            columns={columnsOf(instance)}
            rows={all}
            keyOf={({ name }) => name}
          />
        )}
      </LoadedData>
      {isAdding && (
        <Dialog title="New channel" onClose={() => setAdding(false)}>
          <ChannelForm
            instance={instance}
            verb="Create the channel"
            onSend={create}
            onCancel={() => setAdding(false)}
          />
        </Dialog>
      )}
    </ScreenFrame>
  );
}

function columnsOf(instance: string): TableColumn<Channel>[] {
  return [
    {
      name: 'Name',
      cell: ({ name }) => <a href={href(at`/i/${instance}/channels/${name}`)}>{name}</a>,
    },
    { name: 'Description', cell: ({ description }) => description },
    { name: 'Rooms', cell: ({ type }) => typeTexts[type] },
    { name: 'Clients publish', cell: ({ custom_publish }) => (custom_publish ? 'yes' : 'no') },
    { name: 'Every user may', cell: (channel) => permissionTexts[channel.other_permissions] },
  ];
}
