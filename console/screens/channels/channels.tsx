import { useState } from 'preact/hooks';
import { currentLocation, setQuery } from '../../core/router.ts';
import { defineScreen } from '../../parts/define-screen.tsx';
import { TextField } from '../../parts/form.tsx';
import type { ItemPartProps } from '../../parts/item-screen.tsx';
import { linkColumn } from '../../parts/list-screen.tsx';
import { Empty } from '../../parts/loaded.tsx';
import { builtIn, type Channel, channelType, permissionTexts, typeTexts } from './channel-data.ts';
import { LiveMessages } from './live-messages.tsx';
import { MessageHistory } from './message-history.tsx';
import { Publish } from './publish.tsx';

const permissions = Object.entries(permissionTexts);

/** The channels of an instance; of one its messages, live and kept, and a form to publish. */
export const Screen = defineScreen<Channel>({
  type: channelType,
  about:
    'A channel delivers messages to clients in real time: what others publish, and changes of your data.',
  columns: ({ instance }) => [
    linkColumn(channelType, instance),
    { name: 'Description', cell: ({ description }) => description },
    { name: 'Rooms', cell: ({ type }) => typeTexts[type] },
    { name: 'Clients publish', cell: ({ custom_publish }) => (custom_publish ? 'Yes' : 'No') },
    { name: 'All users', cell: (channel) => permissionTexts[channel.other_permissions] },
  ],
  form: [
    { kind: 'name', name: 'name', isForNew: true },
    {
      kind: 'choice',
      name: 'type',
      label: 'Rooms',
      hint: 'This cannot be changed later.',
      options: [
        ['default', 'No: every listener gets every message'],
        ['separate_rooms', 'Yes: each message goes to one room'],
      ],
      start: 'default',
      isForNew: true,
    },
    { kind: 'lines', name: 'description', label: 'Description' },
    {
      kind: 'check',
      name: 'custom_publish',
      label: 'Clients may publish',
      hint: 'Otherwise the only messages are changes of data.',
      start: true,
    },
    {
      kind: 'choice',
      name: 'other_permissions',
      label: 'All users',
      options: permissions,
      start: 'none',
    },
    { kind: 'group', name: 'group' },
    {
      kind: 'choice',
      name: 'group_permissions',
      label: 'Members of the group',
      options: permissions,
      start: 'none',
    },
  ],
  remove: ({ name }) =>
    builtIn.includes(name)
      ? undefined
      : { text: 'Its messages are deleted and its listeners are disconnected.', name },
  before: (props) =>
    props.item.type === 'default' ? <Messages {...props} /> : <Rooms {...props} />,
});

function Rooms(props: ItemPartProps<Channel>) {
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
        <button type="submit">Open room</button>
      </form>
      {room === '' ? (
        <Empty>Enter the name of a room to see its messages.</Empty>
      ) : (
        <Messages {...props} room={room} />
      )}
    </>
  );
}

interface MessagesProps extends ItemPartProps<Channel> {
  readonly room?: string;
}

function Messages({ of: { instance }, item: channel, room }: MessagesProps) {
  const source = { instance, channel: channel.name, room };
  const [published, setPublished] = useState(0);
  const onMessage = () => setPublished((last) => last + 1);
  return (
    <>
      <p class="about">{channel.description}</p>
      <LiveMessages key={`live ${room}`} source={source} onMessage={onMessage} />
      {channel.custom_publish && <Publish source={source} />}
      <MessageHistory key={`history ${room}`} source={source} published={published} />
    </>
  );
}
