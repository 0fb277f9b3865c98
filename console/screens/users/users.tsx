import { useState } from 'preact/hooks';
import { currentLocation, setQuery } from '../../core/router.ts';
import { defineScreen } from '../../parts/define-screen.tsx';
import { nameInput, newPasswordInput, TextField } from '../../parts/form.tsx';
import { nameOfGroup } from '../../parts/group-choice.tsx';
import { linkColumn } from '../../parts/list-screen.tsx';
import { Empty } from '../../parts/loaded.tsx';
import type { TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { UserEditor, ViewAsButton } from './user.tsx';
import { hasAddress, UserAddress } from './user-address.tsx';
import { type User, userType } from './user-data.ts';

/** The users of an instance; the beginning of their name is in the query. */
export const Screen = defineScreen<User>({
  type: userType,
  about: 'The people who use your app. They cannot sign in to this console.',
  empty: (add) =>
    wantedName() === '' ? (
      <Empty>
        <p>No users yet. They register in your app, or you create them here.</p>
        {add}
      </Empty>
    ) : (
      <p role="status">No user name starts with this text.</p>
    ),
  query: () => ({ username__startswith: wantedName().toLowerCase() || undefined }), // as names are kept
  pageSize: 50,
  note: Search,
  columns: ({ instance, items }) => [
    linkColumn(userType, instance),
    ...(items.some(hasAddress) ? [addressColumn] : []),
    { name: 'Groups', cell: ({ groups }) => groups.map(nameOfGroup).join(', ') },
    { name: 'Registered', cell: ({ profile }) => <Time value={profile?.created_at} /> },
  ],
  form: [
    {
      kind: 'text',
      name: 'username',
      label: 'Name',
      hint: 'Up to 64 characters, for example an e-mail address. Not case-sensitive.',
      input: { ...nameInput, maxLength: 64 },
    },
    { kind: 'text', name: 'password', label: 'Password', input: newPasswordInput },
  ],
  isQuiet: true,
  unloadedTitle: 'User',
  actions: ViewAsButton,
  remove: ({ username }) => ({
    text: 'The user is deleted with profile, objects and devices. This cannot be undone.',
    name: username,
  }),
  editor: UserEditor,
});

const addressColumn: TableColumn<User> = {
  name: 'Address',
  cell: (user) => <UserAddress user={user} />,
};

/** Returns the beginning of the names of the users that are shown. */
function wantedName(): string {
  return currentLocation.value.query.get('name') ?? '';
}

function Search() {
  const [text, setText] = useState(wantedName);
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
