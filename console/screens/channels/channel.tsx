import { useState } from 'preact/hooks';
import { currentLocation, type ScreenProps, setQuery } from '../../core/router.ts';
import { Card } from '../../parts/card.tsx';
import { TextField } from '../../parts/form.tsx';
import { ItemScreen, useItem } from '../../parts/item-screen.tsx';
import { Empty } from '../../parts/loaded.tsx';
import { builtIn, type Channel, channelType } from './channel-data.ts';
import { ChannelForm } from './channel-form.tsx';
import { LiveMessages } from './live-messages.tsx';
import { MessageHistory } from './message-history.tsx';
import { Publish } from './publish.tsx';

/** A channel: its messages, live and kept, a form to publish, and its fields. The room is in the query. */
export function Screen({ names: { instance = '', name: key = '' } }: ScreenProps) {
  const channel = useItem<Channel>(channelType, instance, key);
  return (
    <ItemScreen
      of={channel}
      about={channel.data?.description}
      deletion={({ name }) =>
        builtIn.includes(name)
          ? undefined
          : {
              text: 'It is gone at once, with its messages. Clients that listen are disconnected.',
              name,
            }
      }
    >
      {(data) => (
        <>
          {data.type === 'default' ? (
            <Messages instance={instance} channel={data} room={undefined} />
          ) : (
            <Rooms instance={instance} channel={data} />
          )}
          <Card title="Settings" id="settings">
            <ChannelForm instance={instance} item={data} onSend={channel.save} />
          </Card>
        </>
      )}
    </ItemScreen>
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
