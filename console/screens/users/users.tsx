import { useState } from 'preact/hooks';
import { currentLocation, type ScreenProps, setQuery } from '../../core/router.ts';
import { DraftForm, type NewItemProps } from '../../parts/draft-form.tsx';
import { nameInput, newPasswordInput, TextField } from '../../parts/form.tsx';
import { ListScreen, linkColumn } from '../../parts/list-screen.tsx';
import { usePages } from '../../parts/paged.tsx';
import type { TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { hasAddress, UserAddress } from './user-address.tsx';
import { nameOfGroup, type User, userType } from './user-data.ts';

const pageSize = 50;

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
      about="The people who use your app. They log in with name and password, and are not members of the console."
      note={<Search wanted={wanted} />}
      empty={wanted === '' ? 'There is no user yet.' : notFound}
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
  return <p role="status">No name begins with this text.</p>;
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
        label="Name begins with"
        value={text}
        onValue={setText}
        input={{ type: 'search', autocomplete: 'off', maxLength: 64 }}
      />
      <button type="submit">Find</button>
    </form>
  );
}

function NewUser({ onSend, onCancel }: NewItemProps) {
  return (
    <DraftForm
      start={{ username: '', password: '' }}
      verb="Make the user"
      onSend={onSend}
      onCancel={onCancel}
    >
      {({ text }) => (
        <>
          <TextField
            label="Name"
            hint="Up to 64 characters, for example an e-mail address. Capitals do not count."
            input={{ ...nameInput, maxLength: 64 }}
            {...text('username')}
          />
          <TextField label="Password" input={newPasswordInput} {...text('password')} />
        </>
      )}
    </DraftForm>
  );
}
