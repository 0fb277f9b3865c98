import { useState } from 'preact/hooks';
import { at, below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import { href, navigate, type ScreenProps } from '../../core/router.ts';
import { confirm } from '../../parts/dialog.tsx';
import { Form, newPasswordInput, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Time } from '../../parts/time.tsx';
import { ViewAsUser } from '../keys/view-as.tsx';
import type { User } from './user-data.ts';
import { UserGroups } from './user-groups.tsx';

/** A user: name, password, key, groups and profile. */
export function Screen({ names }: ScreenProps) {
  const { instance = '', id = '' } = names;
  const path = at`instances/${instance}/users/${id}/`;
  const list = href(at`/i/${instance}/users`);
  const [isViewing, setViewing] = useState(false);
  const user = useLoad<User>((signal) => send({ method: 'GET', path, signal }), [path]);
  const { username = 'User', user_key: userKey } = user.data ?? {};
  return (
    <ScreenFrame
      title={username}
      above={[{ text: 'Users', href: list }]}
      actions={
        user.data !== undefined && (
          <>
            {userKey !== undefined && userKey !== '' && (
              <button type="button" onClick={() => setViewing(true)}>
                View as…
              </button>
            )}
            <button
              type="button"
              class="danger"
              onClick={() => attempt(() => remove({ instance, path, username }))}
            >
              Delete…
            </button>
          </>
        )
      }
    >
      <LoadedData of={user}>
        {(data) => (
          <>
            <Facts instance={instance} path={path} user={data} onChange={user.setData} />
            <div class="columns">
              <Name path={path} user={data} onChange={user.setData} />
              <Password path={path} />
            </div>
            <UserGroups
              instance={instance}
              path={path}
              groups={data.groups}
              onChange={user.reload}
            />
          </>
        )}
      </LoadedData>
      {isViewing && (
        <ViewAsUser
          instance={instance}
          username={username}
          userKey={userKey ?? ''}
          onClose={() => setViewing(false)}
        />
      )}
    </ScreenFrame>
  );
}

interface Removal {
  readonly instance: string;
  readonly path: RequestPath;
  readonly username: string;
}

async function remove({ instance, path, username }: Removal): Promise<void> {
  const isSure = await confirm({
    title: `Delete the user ${username}`,
    text: 'Name, password, key and profile are gone at once; the objects and devices of the user follow. This cannot be undone.',
    verb: 'Delete the user',
    name: username,
  });
  if (!isSure) return;
  await send({ method: 'DELETE', path });
  notify('The user is deleted.');
  navigate(at`/i/${instance}/users`);
}

interface UserPartProps {
  readonly path: RequestPath;
  readonly user: User;
  readonly onChange: (user: User) => void;
}

function Facts({ instance, path, user, onChange }: UserPartProps & { readonly instance: string }) {
  const { id, profile, user_key: key } = user;
  const reset = async () => {
    const isSure = await confirm({
      title: 'Reset the key of the user',
      text: 'The key of now ends at once: the user is logged out of every app, and has to log in again. The password stays.',
      verb: 'Reset the key',
    });
    if (!isSure) return;
    onChange(await send<User>({ method: 'POST', path: below(path)`reset_key/` }));
    notify('The user has another key.');
  };
  return (
    <dl class="facts">
      <dt>Id</dt>
      <dd>{id}</dd>
      {profile !== null && (
        <>
          <dt>Registered</dt>
          <dd>
            <Time value={profile.created_at} />
          </dd>
          <dt>Profile</dt>
          <dd>
            <a href={href(at`/i/${instance}/data/user_profile/${profile.id}`)}>
              Fields of the profile
            </a>
          </dd>
        </>
      )}
      {key !== undefined && (
        <>
          <dt>Key</dt>
          <dd class="actions">
            <Secret name="the user key" text={key} />
            <button type="button" class="small danger" onClick={() => attempt(reset)}>
              Reset…
            </button>
          </dd>
        </>
      )}
    </dl>
  );
}

function Name({ path, user, onChange }: UserPartProps) {
  const [username, setUsername] = useState(user.username);
  const save = async () => {
    await send({ method: 'PATCH', path, body: { username } });
    onChange(await send<User>({ method: 'GET', path })); // the name as it is kept
    notify('Saved.');
  };
  return (
    <section class="card" aria-labelledby="name">
      <h2 id="name">Name</h2>
      <Form verb="Save the name" onSend={save}>
        {(errors) => (
          <TextField
            label="Name"
            hint="The user logs in with it."
            value={username}
            onValue={setUsername}
            error={errors.username}
            input={{ required: true, autocomplete: 'off', spellcheck: false, maxLength: 64 }}
          />
        )}
      </Form>
    </section>
  );
}

function Password({ path }: { readonly path: RequestPath }) {
  const [password, setPassword] = useState('');
  const save = async () => {
    await send({ method: 'PATCH', path, body: { password }, isQuiet: true });
    setPassword('');
    notify('The user has another password.');
  };
  return (
    <section class="card" aria-labelledby="password">
      <h2 id="password">Password</h2>
      <Form verb="Set the password" onSend={save}>
        {(errors) => (
          <TextField
            label="New password"
            hint="The password of now ends. The key stays: reset it to log the user out."
            value={password}
            onValue={setPassword}
            error={errors.password}
            input={newPasswordInput}
          />
        )}
      </Form>
    </section>
  );
}
