import { useState } from 'preact/hooks';
import { at, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { counted } from '../../core/counted.ts';
import { useLoad } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import { confirm, Dialog } from '../../parts/dialog.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { type ApiKey, nameOfKey } from './key-data.ts';

interface AliasesProps {
  readonly instance: string;
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

/** Aliases of an API key, as the interface shows them. */
interface AliasList {
  /** The last four digits of each. */
  readonly aliases: readonly string[];
}

/** The old keys that stand for an API key (docs/reference/keys.md#aliases). */
export function Aliases({ instance, apiKey, onClose }: AliasesProps) {
  const path = at`instances/${instance}/api_keys/${apiKey.id}/aliases/`;
  const list = useLoad<AliasList>((signal) => send({ method: 'GET', path, signal }), [path]);
  const remove = async (count: number) => {
    const isSure = await confirm({
      title: 'Delete the aliases',
      text: `${counted(count, 'old key')} of this API key stop working at once. One alone cannot be deleted.`,
      verb: 'Delete all aliases',
    });
    if (!isSure) return;
    await send({ method: 'DELETE', path });
    notify('The aliases are deleted.');
    list.reload();
  };
  return (
    <Dialog title={`Aliases of ${nameOfKey(apiKey)}`} onClose={onClose}>
      <p>
        Apps that were shipped with a key of the former service, of 40 digits, go on working when
        that key is an alias of this API key: they may do what this API key may.
      </p>
      <LoadedData of={list}>
        {({ aliases }) =>
          aliases.length === 0 ? (
            <p class="soft">This API key has no alias.</p>
          ) : (
            <>
              <ul aria-label="Aliases">
                {aliases.map((end) => (
                  <li key={end} class="mono">
                    …{end}
                  </li>
                ))}
              </ul>
              <div class="actions views">
                <button
                  type="button"
                  class="small danger"
                  onClick={() => attempt(() => remove(aliases.length))}
                >
                  Delete all aliases…
                </button>
              </div>
            </>
          )
        }
      </LoadedData>
      <NewAlias path={path} onAdded={list.setData} />
    </Dialog>
  );
}

interface NewAliasProps {
  readonly path: RequestPath;
  readonly onAdded: (list: AliasList) => void;
}

function NewAlias({ path, onAdded }: NewAliasProps) {
  const [alias, setAlias] = useState('');
  const add = async () => {
    const body = { alias: alias.trim() };
    onAdded(await send<AliasList>({ method: 'POST', path, body, isQuiet: true }));
    setAlias('');
    notify('The old key works now.');
  };
  return (
    <Form verb="Register the old key" onSend={add}>
      {(errors) => (
        <TextField
          label="Old key"
          hint="40 digits, 0 to 9 and a to f. It is never shown again: only its last four digits are."
          value={alias}
          onValue={setAlias}
          error={errors.alias}
          input={{ required: true, autocomplete: 'off', spellcheck: false, maxLength: 60 }}
        />
      )}
    </Form>
  );
}
