import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { currentLocation, href, navigate, type ScreenProps, setQuery } from '../../core/router.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Form, newPasswordInput, TextField } from '../../parts/form.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { PageButtons, usePages } from '../../parts/paged.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { nameOfGroup, type User } from './user-data.ts';

const pageSize = 50;

/** The users of an instance, and a form for another one. The beginning of their name is in the query. */
export function Screen({ names }: ScreenProps) {
  const { instance = '' } = names;
  const [isAdding, setAdding] = useState(false);
  const wanted = currentLocation.value.query.get('name') ?? '';
  const users = usePages<User>(at`instances/${instance}/users/`, {
    page_size: pageSize,
    username__startswith: wanted === '' ? undefined : wanted.toLowerCase(), // as names are kept
  });
  const add = (
    <button type="button" class="main" onClick={() => setAdding(true)}>
      New user
    </button>
  );
  return (
    <ScreenFrame
      title="Users"
      about="The people who use your app. They log in with name and password, and are not members of the console."
      actions={add}
    >
      <Search wanted={wanted} />
      <LoadedData of={users}>
        {(objects) =>
          objects.length > 0 ? (
            <Table
              caption="Users"
              columns={columnsOf(instance)}
              rows={objects}
              keyOf={({ id }) => id}
            />
          ) : wanted === '' ? (
            <Empty>
              <p>There is no user yet.</p>
              {add}
            </Empty>
          ) : (
            <p role="status">No name begins with this text.</p>
          )
        }
      </LoadedData>
      <PageButtons of={users} />
      {isAdding && <NewUser instance={instance} onClose={() => setAdding(false)} />}
    </ScreenFrame>
  );
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

function columnsOf(instance: string) {
  return [
    {
      name: 'Name',
      cell: ({ id, username }: User) => (
        <a href={href(at`/i/${instance}/users/${id}`)}>{username}</a>
      ),
    },
    { name: 'Groups', cell: ({ groups }: User) => groups.map(nameOfGroup).join(', ') },
    { name: 'Registered', cell: ({ profile }: User) => <Time value={profile?.created_at} /> },
  ];
}

interface NewUserProps {
  readonly instance: string;
  readonly onClose: () => void;
}

function NewUser({ instance, onClose }: NewUserProps) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const create = async () => {
    const path = at`instances/${instance}/users/`;
    const body = { username, password };
    const { id } = await send<User>({ method: 'POST', path, body, isQuiet: true });
    navigate(at`/i/${instance}/users/${id}`);
  };
  return (
    <Dialog title="New user" onClose={onClose}>
      <Form verb="Make the user" onSend={create} onCancel={onClose}>
        {(errors) => (
          <>
            <TextField
              label="Name"
              hint="Up to 64 characters, for example an e-mail address. Capitals do not count."
              value={username}
              onValue={setUsername}
              error={errors.username}
              input={{ required: true, autocomplete: 'off', spellcheck: false, maxLength: 64 }}
            />
            <TextField
              label="Password"
              value={password}
              onValue={setPassword}
              error={errors.password}
              input={newPasswordInput}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
