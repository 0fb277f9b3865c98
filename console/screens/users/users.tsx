import { useState } from 'preact/hooks';
import { currentLocation, type ScreenProps, setQuery } from '../../core/router.ts';
import type { NewItemProps } from '../../parts/draft-form.tsx';
import { nameInput, newPasswordInput, TextField } from '../../parts/form.tsx';
import { nameOfGroup } from '../../parts/group-choice.tsx';
import { ListScreen, linkColumn } from '../../parts/list-screen.tsx';
import { usePages } from '../../parts/paged.tsx';
import { type FormField, RecordForm } from '../../parts/record-form.tsx';
import type { TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { hasAddress, UserAddress } from './user-address.tsx';
import { type User, userType } from './user-data.ts';

const pageSize = 50;

const fields: readonly FormField[] = [
  {
    kind: 'text',
    name: 'username',
    label: 'Name',
    hint: 'Up to 64 characters, for example an e-mail address. Not case-sensitive.',
    input: { ...nameInput, maxLength: 64 },
  },
  { kind: 'text', name: 'password', label: 'Password', input: newPasswordInput },
];

const NewUser = (props: NewItemProps) => <RecordForm noun="user" fields={fields} {...props} />;

/** The users of an instance, and a form for another one. The beginning of their name is in the query. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const wanted = currentLocation.value.query.get('name') ?? '';
  const list = usePages<User>(userType.path(instance), {
    page_size: pageSize,
    username__startswith: wanted === '' ? undefined : wanted.toLowerCase(), // as names are kept
  });
  return (
    <ListScreen
      of={userType}
      instance={instance}
      list={list}
      about="The people who use your app. They cannot sign in to this console."
      note={<Search wanted={wanted} />}
      empty={
        wanted === ''
          ? 'No users yet. They register in your app, or you create them here.'
          : notFound
      }
      form={NewUser}
      isQuiet
      columns={[
        linkColumn(userType, instance),
        ...(list.data?.some(hasAddress) ? [addressColumn] : []),
        { name: 'Groups', cell: ({ groups }) => groups.map(nameOfGroup).join(', ') },
        { name: 'Registered', cell: ({ profile }) => <Time value={profile?.created_at} /> },
      ]}
    />
  );
}

const addressColumn: TableColumn<User> = {
  name: 'Address',
  cell: (user) => <UserAddress user={user} />,
};

function notFound() {
  return <p role="status">No user name starts with this text.</p>;
}

function Search({ wanted }: { readonly wanted: string }) {
  const [text, setText] = useState(wanted);
  return (
    <form
      class="row search"
      onSubmit={(event) => {
        event.preventDefault();
        setQuery({ name: text.trim() });
      }}
    >
      <TextField
        label="Name starts with"
        value={text}
        onValue={setText}
        input={{ type: 'search', autocomplete: 'off', maxLength: 64 }}
      />
      <button type="submit">Find</button>
    </form>
  );
}
