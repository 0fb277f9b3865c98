import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import type { ScreenProps } from '../../core/router.ts';
import { currentLocation, href, navigate, setQuery } from '../../core/router.ts';
import { DangerButton } from '../../parts/danger-button.tsx';
import { confirm } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { builtIn, type Channel } from './channel-data.ts';
import { ChannelForm } from './channel-form.tsx';
import { LiveMessages } from './live-messages.tsx';
import { MessageHistory } from './message-history.tsx';
import { Publish } from './publish.tsx';

/** A channel: its messages, live and kept, a form to publish, and its fields. The room is in the query. */
export function Screen({ names }: ScreenProps) {
  const { instance = '', name = '' } = names;
  const path = at`instances/${instance}/channels/${name}/`;
  const list = at`/i/${instance}/channels`;
  const channel = useLoad<Channel>((signal) => send({ method: 'GET', path, signal }), [path]);
  const save = async (body: Partial<Channel>) => {
    channel.setData(await send<Channel>({ method: 'PATCH', path, body }));
    notify('Saved.');
  };
  const remove = async (data: Channel) => {
    const isSure = await confirm({
      title: `Delete the channel ${data.name}`,
      text: 'It is gone at once, with its messages. Clients that listen are disconnected.',
      verb: 'Delete the channel',
      name: data.name,
    });
    if (!isSure) return;
    await send({ method: 'DELETE', path });
    notify('The channel is deleted.');
    navigate(list);
  };
  return (
    <ScreenFrame
      title={name}
      about={channel.data?.description}
      above={[{ text: 'Channels', href: href(list) }]}
      actions={
        !builtIn.includes(channel.data?.name ?? name) && (
          <DangerButton of={channel} onAct={remove} />
        )
      }
    >
      <LoadedData of={channel}>
        {(data) => (
          <>
            {data.type === 'default' ? (
              <Messages instance={instance} channel={data} room={undefined} />
            ) : (
              <Rooms instance={instance} channel={data} />
            )}
            <section class="card" aria-labelledby="settings">
              <h2 id="settings">Settings</h2>
              <ChannelForm instance={instance} channel={data} verb="Save" onSend={save} />
            </section>
          </>
        )}
      </LoadedData>
    </ScreenFrame>
  );
}

interface RoomsProps {
  readonly instance: string;
  readonly channel: Channel;
}

function Rooms({ instance, channel }: RoomsProps) {
  const room = currentLocation.value.query.get('room') ?? '';
  const [typed, setTyped] = useState(room);
  return (
    <>
      <form
        class="row card"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery({ room: typed });
        }}
      >
        <TextField
          label="Room"
          value={typed}
          onValue={setTyped}
          input={{ required: true, maxLength: 128, autocomplete: 'off', spellcheck: false }}
        />
        <button type="submit">Open the room</button>
      </form>
      {room === '' ? (
        <Empty>This channel has rooms. Type the name of one to see its messages.</Empty>
      ) : (
        <Messages instance={instance} channel={channel} room={room} />
      )}
    </>
  );
}

interface MessagesProps extends RoomsProps {
  readonly room: string | undefined;
}

function Messages({ instance, channel, room }: MessagesProps) {
  const source = { instance, channel: channel.name, room };
  return (
    <>
      <LiveMessages key={`live ${room}`} source={source} />
      {channel.custom_publish && <Publish source={source} />}
      <MessageHistory key={`history ${room}`} source={source} />
    </>
  );
}
