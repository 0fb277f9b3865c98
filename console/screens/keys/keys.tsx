import { useState } from 'preact/hooks';
import { below } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { itemPath } from '../../core/record-type.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { defineList, type ItemsProps } from '../../parts/list-screen.tsx';
import { type FormField, RecordForm } from '../../parts/record-form.tsx';
import { actionsColumn, type TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { AliasesButton } from './aliases.tsx';
import { type ApiKey, apiKeyType, flagTexts, nameOfKey } from './key-data.ts';
import { viewAs } from './view-as.tsx';

const fields: readonly FormField[] = [
  {
    kind: 'text',
    name: 'description',
    label: 'Name of the app',
    input: { maxLength: 256, autocomplete: 'off' },
  },
  ...flagTexts.map(([name, label, hint]) => ({ kind: 'check', name, label, hint }) as const),
];

/** The keys of apps. */
export const Screen = defineList<ApiKey>({
  type: apiKeyType,
  about:
    'An app sends an API key with each request. A key can have rights beyond those of the users.',
  empty: 'No API keys yet. Create one for your app.',
  columns: columnsOf,
  form: fields,
  made: 'API key created.',
});

function columnsOf({ instance, reload }: ItemsProps<ApiKey>): readonly TableColumn<ApiKey>[] {
  const path = ({ id }: ApiKey) => itemPath(apiKeyType, instance, id);
  const view = (key: ApiKey): Promise<void> => {
    const label = `the API key ${nameOfKey(key)}`;
    return viewAs({ instance, apiKey: key.api_key, userKey: undefined, label });
  };
  const reset = async (key: ApiKey) => {
    const isSure = await confirm({
      title: `Reset the key ${nameOfKey(key)}`,
      text: 'The current key and its aliases stop working immediately: apps need the new key.',
      verb: 'Reset key',
    });
    if (!isSure) return;
    await send({ method: 'POST', path: below(path(key))`reset_key/` });
    reload();
  };
  const remove = async (key: ApiKey) => {
    const text = 'Apps that use it stop working. This cannot be undone.';
    const title = `Delete the key ${nameOfKey(key)}`;
    if (!(await confirm({ title, text, verb: 'Delete key', name: nameOfKey(key) }))) return;
    await send({ method: 'DELETE', path: path(key) });
    reload();
  };
  return [
    { name: 'Name', cell: nameOfKey },
    { name: 'Permissions', cell: Flags },
    { name: 'Created', cell: ({ created_at }) => <Time value={created_at} /> },
    actionsColumn((key) => (
      <div class="actions">
        <CopyButton text={() => key.api_key} label="Copy key" />
        <Button class="small" onAct={() => view(key)} text="View as" />
        <EditButton instance={instance} apiKey={key} onSaved={reload} />
        <AliasesButton instance={instance} apiKey={key} />
        <Button class="small" onAct={() => reset(key)} text="Reset…" />
        <Button class="small danger" onAct={() => remove(key)} text="Delete…" />
      </div>
    )),
  ];
}

interface EditButtonProps extends Pick<ItemsProps<ApiKey>, 'instance'> {
  readonly apiKey: ApiKey;
  readonly onSaved: () => void;
}

/** Changes the name and the permissions of a key. */
function EditButton({ instance, apiKey, onSaved }: EditButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const sends = { method: 'PATCH', path: itemPath(apiKeyType, instance, apiKey.id) } as const;
  const save = async (body: object) => {
    await send({ ...sends, body });
    close();
    onSaved();
  };
  return (
    <>
      <Button class="small" sends={sends} onAct={() => setOpen(true)} text="Edit…" />
      {isOpen && (
        <Dialog title={`Edit ${nameOfKey(apiKey)}`} onClose={close}>
          <RecordForm
            {...{ fields, instance, sends }}
            noun={apiKeyType.noun}
            item={apiKey}
            onSend={save}
            onCancel={close}
          />
        </Dialog>
      )}
    </>
  );
}

function Flags(key: ApiKey) {
  const set = flagTexts.filter(([flag]) => key[flag]);
  if (set.length === 0) return <span class="soft">Same as the signed-in user</span>;
  return (
    <ul class="plain">
      {set.map(([flag, label, text]) => (
        <li key={flag} title={text}>
          {label}
        </li>
      ))}
    </ul>
  );
}
