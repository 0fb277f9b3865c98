import { useState } from 'preact/hooks';
import { at, below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { notify } from '../../core/notices.ts';
import { href } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { nameInput, newPasswordInput, TextField } from '../../parts/form.tsx';
import type { ItemPartProps } from '../../parts/item-screen.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Time } from '../../parts/time.tsx';
import { apiKeyType } from '../keys/key-data.ts';
import { ViewAsUser } from '../keys/view-as.tsx';
import { hasAddress, UserAddress } from './user-address.tsx';
import type { User } from './user-data.ts';
import { UserGroups } from './user-groups.tsx';
import { UserSessions } from './user-sessions.tsx';

type UserPartProps = ItemPartProps<User>;

/** Shows the instance as the user sees it, who has a key for that. */
export function ViewAsButton({ of: { instance }, item }: UserPartProps) {
  const { username, user_key: userKey = '' } = item;
  const [isViewing, setViewing] = useState(false);
  if (userKey === '') return null;
  return (
    <>
      <Button
        sends={{ method: 'GET', path: apiKeyType.path(instance) }}
        onAct={() => setViewing(true)}
        text="View as…"
      />
      {isViewing && (
        <ViewAsUser {...{ instance, username, userKey }} onClose={() => setViewing(false)} />
      )}
    </>
  );
}

/** A user: address, name, password, key, sessions, groups and profile. */
export function UserEditor(props: UserPartProps) {
  const { path } = props.of;
  return (
    <>
      <UserFacts {...props} />
      <div class="columns">
        <Name {...props} />
        <Password path={path} />
      </div>
      <UserSessions {...props} />
      <UserGroups {...props} />
    </>
  );
}

function UserFacts({ of: { instance, path, setData }, item: user }: UserPartProps) {
  const { id, profile, user_key: key } = user;
  const reset = async () => {
    const isSure = await confirm({
      title: 'Reset user key',
      text: 'The current key stops working immediately: the user is logged out of every app. The password does not change.',
      verb: 'Reset key',
    });
    if (!isSure) return;
    setData(await send<User>({ method: 'POST', path: below(path)`reset_key/` }));
    notify('User key reset.');
  };
  const rows: Fact[] = [['Id', id]];
  if (hasAddress(user)) rows.push(['Address', <UserAddress key="address" user={user} />]);
  if (profile !== null) {
    const place = href(at`/i/${instance}/data/user_profile/${profile.id}`);
    rows.push(['Registered', <Time key="time" value={profile.created_at} />]);
    rows.push([
      'Profile',
      <a key="profile" href={place}>
        Open profile
      </a>,
    ]);
  }
  if (key !== undefined) {
    const buttons = (
      <div class="actions">
        <Secret name="the user key" text={key} />
        <Button class="small danger" onAct={reset} text="Reset…" />
      </div>
    );
    rows.push(['Key', buttons]);
  }
  return <Facts rows={rows} />;
}

function Name({ of: { path, setData }, item: user }: UserPartProps) {
  const save = async (body: object) => {
    await send({ method: 'PATCH', path, body });
    setData(await send<User>({ method: 'GET', path })); // the name as it is kept
    notify('Saved.');
  };
  return (
    <Card title="Name" id="name">
      <DraftForm
        start={{ username: user.username }}
        verb="Save"
        sends={{ method: 'PATCH', path }}
        onSend={save}
      >
        {({ text }) => (
          <TextField
            label="Name"
            hint="The user logs in with it."
            input={{ ...nameInput, maxLength: 64 }}
            {...text('username')}
          />
        )}
      </DraftForm>
    </Card>
  );
}

function Password({ path }: { readonly path: RequestPath }) {
  const save = async (body: object) => {
    await send({ method: 'PATCH', path, body, isQuiet: true });
    notify('Password changed.');
  };
  return (
    <Card title="Password" id="password">
      <DraftForm
        start={{ password: '' }}
        verb="Set password"
        sends={{ method: 'PATCH', path }}
        onSend={save}
        isEmptied
      >
        {({ text }) => (
          <TextField
            label="New password"
            hint="The current password stops working and all sessions end. The user key keeps working until you reset it."
            input={newPasswordInput}
            {...text('password')}
          />
        )}
      </DraftForm>
    </Card>
  );
}
