import { at } from '../../../shared/values/text/request-path.ts';
import { useList } from '../../core/load.ts';
import { href, mayLeave, navigate } from '../../core/router.ts';
import { type Lens, lens } from '../../core/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { SelectField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { type ApiKey, apiKeyType, flagTexts, nameOfKey } from './key-data.ts';

/** Shows the instance as the holder of other keys sees it, beginning with its data. */
export async function viewAs(view: Lens): Promise<void> {
  if (!(await mayLeave())) return;
  lens.value = view;
  navigate(at`/i/${view.instance}/data`);
}

interface ViewAsUserProps {
  readonly instance: string;
  readonly username: string;
  readonly userKey: string;
  readonly onClose: () => void;
}

/** Asks for the API key of the app through which a user looks. */
export function ViewAsUser({ instance, username, userKey, onClose }: ViewAsUserProps) {
  const keys = useList<ApiKey>(apiKeyType.path(instance));
  return (
    <Dialog title={`View as ${username}`} onClose={onClose}>
      <p>
        You see what this user may see, and your changes are changes of this user, until you go back
        to your own view.
      </p>
      <LoadedData of={keys}>
        {(all) => {
          const living = all.filter(({ api_key }) => api_key !== '');
          return living.length === 0 ? (
            <p>
              A user needs the API key of an app, and there is none yet.{' '}
              <a href={href(apiKeyType.place(instance))}>Create an API key</a>
            </p>
          ) : (
            <Choice
              keys={living}
              onCancel={onClose}
              onChoose={(apiKey) =>
                viewAs({ instance, apiKey, userKey, label: `the user ${username}` })
              }
            />
          );
        }}
      </LoadedData>
    </Dialog>
  );
}

interface ChoiceProps {
  readonly keys: readonly ApiKey[];
  readonly onCancel: () => void;
  readonly onChoose: (apiKey: string) => void;
}

function Choice({ keys, onCancel, onChoose }: ChoiceProps) {
  // one without ignore_acl: with it a user sees everything
  const first = keys.find(({ ignore_acl }) => !ignore_acl) ?? keys[0];
  return (
    <DraftForm
      start={{ chosen: first?.api_key ?? '' }}
      verb="View as this user"
      onSend={async ({ chosen }) => onChoose(chosen)}
      onCancel={onCancel}
    >
      {({ text }) => (
        <SelectField
          label="Through the API key"
          hint="The permissions of the key are added to those of the user."
          options={keys.map((key) => [key.api_key, `${nameOfKey(key)}${flagsIn(key)}`])}
          {...text('chosen')}
        />
      )}
    </DraftForm>
  );
}

function flagsIn(key: ApiKey): string {
  const set = flagTexts.flatMap(([flag]) => (key[flag] ? [flag] : []));
  return set.length === 0 ? '' : ` (${set.join(', ')})`;
}
