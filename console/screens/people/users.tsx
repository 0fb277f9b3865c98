import { useState } from 'preact/hooks';
import { type Page as ListPage, send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import { at, href, place, type ScreenProps, setQuery } from '../../core/router.ts';
import { confirm, Dialog } from '../../parts/dialog.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import type { User } from './people-data.ts';
import { ViewAsUser } from './view-as-user.tsx';

/** What the dialog of the screen is about. */
type Task = 'new' | { readonly kind: 'password' | 'view'; readonly user: User };

/** The users of an app. */
export function Screen({ names }: ScreenProps) {
  const { instance = '' } = names;
  const prefix = place.value.query.get('name') ?? '';
  const list = place.value.query.get('page') ?? at`instances/${instance}/users/`;
  const [task, setTask] = useState<Task>();
  const users = useLoad<ListPage<User>>(
    (signal) => {
      const query = list.startsWith('/')
        ? {}
        : { page_size: 50, username__startswith: prefix || undefined };
      return send({ method: 'GET', path: list, query, signal });
    },
    [list, prefix],
  );
  const close = () => setTask(undefined);
  const finish = (text: string) => {
    close();
    notify(text);
    users.reload();
  };
  return (
    <Page
      title="Users"
      about="The people who use the app. They log in with a name and a password, beside the API key of the app."
      actions={
        <button type="button" class="main" onClick={() => setTask('new')}>
          New user
        </button>
      }
    >
      <div class="row">
        <TextField
          label="Name begins with"
          value={prefix}
          onValue={(name) => setQuery({ name, page: undefined })}
          input={{ type: 'search', autocomplete: 'off' }}
        />
      </div>
      <Loaded of={users}>
        {({ objects, next, prev }) => (
          <>
            {objects.length === 0 ? (
              <Empty>There is no such user.</Empty>
            ) : (
              <Table
                caption="Users"
                rows={objects}
                keyOf={({ id }) => id}
                columns={columnsOf(instance, { setTask, finish })}
              />
            )}
            <div class="actions">
              <button type="button" disabled={!prev} onClick={() => setQuery({ page: prev ?? '' })}>
                Previous page
              </button>
              <button type="button" disabled={!next} onClick={() => setQuery({ page: next ?? '' })}>
                Next page
              </button>
            </div>
          </>
        )}
      </Loaded>
      {task === 'new' && <NewUser instance={instance} onClose={close} onDone={finish} />}
      {typeof task === 'object' && task.kind === 'password' && (
        <SetPassword instance={instance} user={task.user} onClose={close} onDone={finish} />
      )}
      {typeof task === 'object' && task.kind === 'view' && (
        <ViewAsUser instance={instance} user={task.user} onClose={close} />
      )}
    </Page>
  );
}

interface Controls {
  readonly setTask: (task: Task) => void;
  readonly finish: (text: string) => void;
}

function columnsOf(instance: string, { setTask, finish }: Controls) {
  const path = (user: User) => at`instances/${instance}/users/${user.id}/`;
  const resetKey = async (user: User) => {
    const text = 'The key that the user has now ends at once: apps have to log in again.';
    if (!(await confirm({ title: `Reset the key of ${user.username}`, text, verb: 'Reset' })))
      return;
    await send({ method: 'POST', path: `${path(user)}reset_key/` });
    finish('The user has another key.');
  };
  const remove = async (user: User) => {
    const isSure = await confirm({
      title: `Delete ${user.username}`,
      text: 'The user, the profile, and all objects that the user owns are deleted.',
      verb: 'Delete the user',
      name: user.username,
    });
    if (!isSure) return;
    await send({ method: 'DELETE', path: path(user) });
    finish(`${user.username} is deleted.`);
  };
  return [
    { name: 'Name', cell: ({ username }: User) => username },
    {
      name: 'Groups',
      cell: ({ groups }: User) =>
        groups.map(({ label, name, id }) => label || name || id).join(', '),
    },
    {
      name: 'Profile',
      cell: ({ profile }: User) => (
        <a href={href(at`/i/${instance}/data/user_profile/${profile.id}`)}>Profile {profile.id}</a>
      ),
    },
    {
      name: 'Actions',
      cell: (user: User) => (
        <div class="actions">
          <button type="button" class="small" onClick={() => setTask({ kind: 'password', user })}>
            Set password
          </button>
          <button type="button" class="small" onClick={() => setTask({ kind: 'view', user })}>
            View as
          </button>
          <button type="button" class="small" onClick={() => attempt(() => resetKey(user))}>
            Reset key…
          </button>
          <button type="button" class="small danger" onClick={() => attempt(() => remove(user))}>
            Delete…
          </button>
        </div>
      ),
    },
  ];
}

interface DialogProps {
  readonly instance: string;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

function NewUser({ instance, onClose, onDone }: DialogProps) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const create = async () => {
    const path = at`instances/${instance}/users/`;
    await send({ method: 'POST', path, body: { username, password } });
    onDone(`${username} can log in now.`);
  };
  return (
    <Dialog title="New user" onClose={onClose}>
      <Form verb="Create the user" onSend={create} onCancel={onClose}>
        {(errors) => (
          <>
            <TextField
              label="Name"
              value={username}
              onValue={setUsername}
              error={errors.username}
              input={{ required: true, autocomplete: 'off', maxLength: 64 }}
            />
            <Password value={password} onValue={setPassword} error={errors.password} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

function SetPassword({ instance, user, onClose, onDone }: DialogProps & { readonly user: User }) {
  const [password, setPassword] = useState('');
  const save = async () => {
    const path = at`instances/${instance}/users/${user.id}/`;
    await send({ method: 'PATCH', path, body: { password } });
    onDone(`${user.username} has another password.`);
  };
  return (
    <Dialog title={`Password of ${user.username}`} onClose={onClose}>
      <Form verb="Set the password" onSend={save} onCancel={onClose}>
        {(errors) => <Password value={password} onValue={setPassword} error={errors.password} />}
      </Form>
    </Dialog>
  );
}

interface PasswordProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly error: string | undefined;
}

function Password(props: PasswordProps) {
  const input = { type: 'password', autocomplete: 'new-password', required: true } as const;
  return <TextField label="Password" {...props} input={{ ...input, maxLength: 128 }} />;
}
