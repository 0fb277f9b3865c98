import { useState } from 'preact/hooks';
import { readAll } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { at, navigate } from '../../core/router.ts';
import { lens } from '../../core/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Form, SelectField } from '../../parts/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import type { ApiKey, User } from './people-data.ts';

interface ViewAsUserProps {
  readonly instance: string;
  readonly user: User;
  readonly onClose: () => void;
}

/** Asks with which API key to see the instance as a user does: an app sends both keys. */
export function ViewAsUser({ instance, user, onClose }: ViewAsUserProps) {
  const keys = useLoad(() => readAll<ApiKey>(at`instances/${instance}/api_keys/`), [instance]);
  return (
    <Dialog title={`View as ${user.username}`} onClose={onClose}>
      <Loaded of={keys}>
        {(all) =>
          all.length === 0 ? (
            <p>An app of the user needs an API key: make one under API keys first.</p>
          ) : (
            <KeyChoice {...{ instance, user, keys: all, onClose }} />
          )
        }
      </Loaded>
    </Dialog>
  );
}

function KeyChoice({
  instance,
  user,
  keys,
  onClose,
}: ViewAsUserProps & { readonly keys: readonly ApiKey[] }) {
  const [chosen, setChosen] = useState(keys[0]?.api_key ?? '');
  const enter = async () => {
    const { username, user_key: userKey } = user;
    onClose();
    lens.value = { instance, apiKey: chosen, userKey, label: `the user ${username}` };
    navigate(at`/i/${instance}/data`);
  };
  return (
    <Form verb="View" onSend={enter} onCancel={onClose}>
      {() => (
        <SelectField
          label="With the API key"
          value={chosen}
          onValue={setChosen}
          options={keys.map(({ api_key, description, id }) => [
            api_key,
            description || `Key ${id}`,
          ])}
        />
      )}
    </Form>
  );
}
