import { useState } from 'preact/hooks';
import { below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { counted } from '../../core/format.ts';
import { useRecord } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import { itemPath } from '../../core/record-type.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { nameInput, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { type ApiKey, apiKeyType, nameOfKey } from './key-data.ts';

interface AliasesProps {
  readonly instance: string;
  readonly apiKey: ApiKey;
}

/** Aliases of an API key, as the interface shows them. */
interface AliasList {
  /** The last four digits of each. */
  readonly aliases: readonly string[];
}

/** Opens the aliases of an API key. */
export function AliasesButton(props: AliasesProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button class="small" onAct={() => setOpen(true)} text="Aliases…" />
      {isOpen && (
        <Dialog title={`Aliases of ${nameOfKey(props.apiKey)}`} onClose={() => setOpen(false)}>
          <Aliases {...props} />
        </Dialog>
      )}
    </>
  );
}

/** The old keys that stand for an API key (docs/reference/keys.md#aliases). */
function Aliases({ instance, apiKey }: AliasesProps) {
  const path = below(itemPath(apiKeyType, instance, apiKey.id))`aliases/`;
  const list = useRecord<AliasList>(path);
  const remove = async (count: number) => {
    const isSure = await confirm({
      title: 'Delete all aliases',
      text: `${counted(count, 'old key')} will stop working immediately. A single alias cannot be deleted.`,
      verb: 'Delete all aliases',
    });
    if (!isSure) return;
    await send({ method: 'DELETE', path });
    notify('Aliases deleted.');
    list.reload();
  };
  return (
    <>
      <p>
        Apps that still send a 40-digit key of the former service keep working when that key is an
        alias of this API key. They have the rights of this API key.
      </p>
      <LoadedData of={list}>
        {({ aliases }) =>
          aliases.length === 0 ? (
            <p class="soft">No aliases.</p>
          ) : (
            <>
              <ul aria-label="Aliases">
                {aliases.map((end) => (
                  <li key={end} class="mono">
                    …{end}
                  </li>
                ))}
              </ul>
              <div class="actions pages">
                <Button
                  class="small danger"
                  onAct={() => remove(aliases.length)}
                  text="Delete all aliases…"
                />
              </div>
            </>
          )
        }
      </LoadedData>
      <NewAlias path={path} onAdded={list.setData} />
    </>
  );
}

interface NewAliasProps {
  readonly path: RequestPath;
  readonly onAdded: (list: AliasList) => void;
}

function NewAlias({ path, onAdded }: NewAliasProps) {
  const add = async (alias: string) => {
    const body = { alias: alias.trim() };
    onAdded(await send<AliasList>({ method: 'POST', path, body, isQuiet: true }));
    notify('Alias added.');
  };
  return (
    <DraftForm start={{ alias: '' }} verb="Add alias" onSend={({ alias }) => add(alias)} isEmptied>
      {({ text }) => (
        <TextField
          label="Old key"
          hint="40 digits, 0 to 9 and a to f. Only its last four digits are shown again."
          input={{ ...nameInput, maxLength: 60 }}
          {...text('alias')}
        />
      )}
    </DraftForm>
  );
}
