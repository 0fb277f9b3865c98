import { useState } from 'preact/hooks';
import { at, below } from '../../../shared/values/text/request-path.ts';
import { readAll, send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import type { ScreenProps } from '../../core/router.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { confirm, Dialog } from '../../parts/dialog.tsx';
import { CheckField, Form, TextField } from '../../parts/form.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Aliases } from './aliases.tsx';
import { type ApiKey, type ApiKeyFlags, flagTexts, nameOfKey } from './key-data.ts';
import { viewAs } from './view-as.tsx';

/** The keys of apps. */
export function Screen({ names }: ScreenProps) {
  const { instance = '' } = names;
  const [isAdding, setAdding] = useState(false);
  const [aliasesOf, setAliasesOf] = useState<ApiKey>();
  const keys = useLoad(() => readAll<ApiKey>(at`instances/${instance}/api_keys/`), [instance]);
  return (
    <ScreenFrame
      title="API keys"
      about="An app sends an API key with each request. What it may do beyond its users' rights is set per key."
      actions={
        <button type="button" class="main" onClick={() => setAdding(true)}>
          New key
        </button>
      }
    >
      <LoadedData of={keys}>
        {(all) =>
          all.length === 0 ? (
            <Empty>No app has access yet: make a key for it.</Empty>
          ) : (
            <Table
              caption="API keys"
              rows={all}
              keyOf={({ id }) => id}
              columns={columnsOf(instance, { reload: keys.reload, onAliases: setAliasesOf })}
            />
          )
        }
      </LoadedData>
      {aliasesOf !== undefined && (
        <Aliases instance={instance} apiKey={aliasesOf} onClose={() => setAliasesOf(undefined)} />
      )}
      {isAdding && (
        <NewKey
          instance={instance}
          onClose={() => setAdding(false)}
          onDone={() => {
            setAdding(false);
            notify('The key works now.');
            keys.reload();
          }}
        />
      )}
    </ScreenFrame>
  );
}

interface KeyActions {
  readonly reload: () => void;
  readonly onAliases: (key: ApiKey) => void;
}

function columnsOf(instance: string, { reload, onAliases }: KeyActions) {
  const path = ({ id }: ApiKey) => at`instances/${instance}/api_keys/${id}/`;
  const view = (key: ApiKey) => {
    const label = `the API key ${nameOfKey(key)}`;
    viewAs({ instance, apiKey: key.api_key, userKey: undefined, label });
  };
  const reset = async (key: ApiKey) => {
    const isSure = await confirm({
      title: `Reset the key ${nameOfKey(key)}`,
      text: 'The key ends at once, with its aliases: apps that have it stop working until they get the new one.',
      verb: 'Reset the key',
    });
    if (!isSure) return;
    await send({ method: 'POST', path: below(path(key))`reset_key/` });
    reload();
  };
  const remove = async (key: ApiKey) => {
    const text = 'Apps that have it stop working. It cannot be brought back.';
    const title = `Delete the key ${nameOfKey(key)}`;
    if (!(await confirm({ title, text, verb: 'Delete the key', name: 'delete' }))) return;
    await send({ method: 'DELETE', path: path(key) });
    reload();
  };
  return [
    { name: 'Of', cell: nameOfKey },
    { name: 'May', cell: Flags },
    { name: 'Made', cell: ({ created_at }: ApiKey) => <Time value={created_at} /> },
    {
      name: 'Actions',
      isActions: true,
      cell: (key: ApiKey) => (
        <div class="actions">
          <CopyButton text={() => key.api_key} label="Copy the key" />
          <button type="button" class="small" onClick={() => view(key)}>
            View as
          </button>
          <button type="button" class="small" onClick={() => onAliases(key)}>
            Aliases…
          </button>
          <button type="button" class="small" onClick={() => attempt(() => reset(key))}>
            Reset…
          </button>
          <button type="button" class="small danger" onClick={() => attempt(() => remove(key))}>
            Delete…
          </button>
        </div>
      ),
    },
  ];
}

function Flags(key: ApiKey) {
  const set = flagTexts.filter(([flag]) => key[flag]);
  if (set.length === 0) return <>What its users may do.</>;
  return (
    <ul class="plain">
      {set.map(([flag, text]) => (
        <li key={flag}>{text}</li>
      ))}
    </ul>
  );
}

interface NewKeyProps {
  readonly instance: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function NewKey({ instance, onClose, onDone }: NewKeyProps) {
  const [description, setDescription] = useState('');
  const [flags, setFlags] = useState<Partial<ApiKeyFlags>>({});
  const create = async () => {
    const path = at`instances/${instance}/api_keys/`;
    await send({ method: 'POST', path, body: { description, ...flags } });
    onDone();
  };
  return (
    <Dialog title="New API key" onClose={onClose}>
      <Form verb="Make the key" onSend={create} onCancel={onClose}>
        {(errors) => (
          <>
            <TextField
              label="For which app"
              value={description}
              onValue={setDescription}
              error={errors.description}
              input={{ maxLength: 256, autocomplete: 'off' }}
            />
            {flagTexts.map(([flag, text]) => (
              <CheckField
                key={flag}
                label={flag}
                hint={text}
                isChecked={flags[flag] === true}
                onChecked={(isSet) => setFlags({ ...flags, [flag]: isSet })}
                error={errors[flag]}
              />
            ))}
          </>
        )}
      </Form>
    </Dialog>
  );
}
