import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { type ApiPage, send } from '../../core/api.ts';
import { useList, useLoad } from '../../core/load.ts';
import { refusalOf } from '../../core/roles.ts';
import { hrefOfForm, mayLeave, navigate } from '../../core/router.ts';
import { type Lens, lens } from '../../core/session.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { SelectField, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { Popover } from '../../parts/popover.tsx';
import { type User, userType } from '../users/user-data.ts';
import { type ApiKey, apiKeyType, flagTexts, nameOfKey } from './key-data.ts';

/** Shows the instance as the holder of other keys sees it, beginning with its data. */
export async function viewAs(view: Lens): Promise<void> {
  if (!(await mayLeave())) return;
  lens.value = view;
  navigate(at`/i/${view.instance}/data`);
}

interface ViewAsMenuProps {
  readonly instance: string;
}

/** Shows the current screen as the holder of an API key, or a user, sees it. */
export function ViewAsMenu({ instance }: ViewAsMenuProps) {
  if (lens.value !== undefined) return null; // the way back comes first
  if (refusalOf({ method: 'GET', path: apiKeyType.path(instance) }) !== undefined) return null;
  return <Popover text="View as">{() => <Viewers instance={instance} />}</Popover>;
}

const maxUsers = 10;

function Viewers({ instance }: ViewAsMenuProps) {
  const [name, setName] = useState('');
  const users = useLoad(async () => {
    const query = { username__startswith: name.toLowerCase(), page_size: maxUsers };
    const path = userType.path(instance);
    const { objects } = await send<ApiPage<User>>({ method: 'GET', path, query });
    return objects.filter(({ user_key: key = '' }) => key !== ''); // others may not be seen as
  }, [name]);
  const look = async (apiKey: string, label: string, userKey?: string) => {
    if (await mayLeave()) lens.value = { instance, apiKey, userKey, label };
  };
  return (
    <LivingKeys instance={instance}>
      {(keys, usual) => (
        <>
          <fieldset class="bare">
            <legend>API key</legend>
            {keys.map((key) => (
              <Button
                key={key.id}
                class="link"
                onAct={() => look(key.api_key, `the API key ${nameOfKey(key)}`)}
                text={nameOfKey(key)}
              />
            ))}
          </fieldset>
          <fieldset class="bare">
            <legend>User, through the key {nameOfKey(usual)}</legend>
            <TextField label="User name starts with" value={name} onValue={setName} />
            <LoadedData of={users}>
              {(found) => (
                <ul class="plain">
                  {found.map(({ id, username, user_key: userKey }) => (
                    <li key={id}>
                      <Button
                        class="link"
                        onAct={() => look(usual.api_key, `the user ${username}`, userKey)}
                        text={username}
                      />
                    </li>
                  ))}
                  {found.length === 0 && <li class="soft">No user found.</li>}
                </ul>
              )}
            </LoadedData>
          </fieldset>
        </>
      )}
    </LivingKeys>
  );
}

interface LivingKeysProps extends ViewAsMenuProps {
  /** Gets the usual key for the view of a user too. */
  readonly children: (keys: readonly ApiKey[], usual: ApiKey) => ComponentChildren;
}

/** Loads the keys that can be sent; says when there is none. */
function LivingKeys({ instance, children }: LivingKeysProps) {
  const keys = useList<ApiKey>(apiKeyType.path(instance));
  return (
    <LoadedData of={keys}>
      {(all) => {
        const living = all.filter(({ api_key }) => api_key !== '');
        const usual = living.find(({ ignore_acl }) => !ignore_acl) ?? living[0]; // with that a user sees everything
        if (usual !== undefined) return children(living, usual);
        return (
          <p>
            A user needs the API key of an app, and there is none yet.{' '}
            <a href={hrefOfForm(apiKeyType.place(instance))}>New API key</a>
          </p>
        );
      }}
    </LoadedData>
  );
}

interface ViewAsUserProps {
  readonly instance: string;
  readonly username: string;
  readonly userKey: string;
  readonly onClose: () => void;
}

/** Asks for the API key of the app through which a user looks. */
export function ViewAsUser({ instance, username, userKey, onClose }: ViewAsUserProps) {
  return (
    <Dialog title={`View as ${username}`} onClose={onClose}>
      <p>
        You see what this user may see, and your changes are changes of this user, until you go back
        to your own view.
      </p>
      <LivingKeys instance={instance}>
        {(keys, usual) => (
          <DraftForm
            start={{ apiKey: usual.api_key }}
            verb="View as this user"
            onSend={({ apiKey }) =>
              viewAs({ instance, apiKey, userKey, label: `the user ${username}` })
            }
            onCancel={onClose}
          >
            {({ text }) => (
              <SelectField
                label="Through the API key"
                hint="The permissions of the key are added to those of the user."
                options={keys.map((key) => [key.api_key, `${nameOfKey(key)}${flagsIn(key)}`])}
                {...text('apiKey')}
              />
            )}
          </DraftForm>
        )}
      </LivingKeys>
    </Dialog>
  );
}

function flagsIn(key: ApiKey): string {
  const set = flagTexts.flatMap(([flag]) => (key[flag] ? [flag] : []));
  return set.length === 0 ? '' : ` (${set.join(', ')})`;
}
