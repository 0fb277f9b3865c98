import { useState } from 'preact/hooks';
import { below } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { useList } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import { itemPath } from '../../core/record-type.ts';
import type { ScreenProps } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { DraftForm, type NewItemProps } from '../../parts/draft-form.tsx';
import { CheckField, TextField } from '../../parts/form.tsx';
import { ListScreen } from '../../parts/list-screen.tsx';
import { Empty } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { Aliases } from './aliases.tsx';
import { type ApiKey, apiKeyType, flagTexts, nameOfKey } from './key-data.ts';
import { viewAs } from './view-as.tsx';

/** The keys of apps. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const [aliasesOf, setAliasesOf] = useState<ApiKey>();
  const keys = useList<ApiKey>(apiKeyType.path(instance));
  return (
    <>
      <ListScreen
        of={apiKeyType}
        instance={instance}
        list={keys}
        about="An app sends an API key with each request. What it may do beyond its users' rights is set per key."
        empty={() => <Empty>No app has access yet: make a key for it.</Empty>}
        newText="New key"
        form={NewKey}
        onMade={() => {
          notify('The key works now.');
          keys.reload();
        }}
        columns={columnsOf(instance, { reload: keys.reload, onAliases: setAliasesOf })}
      />
      {aliasesOf !== undefined && (
        <Aliases instance={instance} apiKey={aliasesOf} onClose={() => setAliasesOf(undefined)} />
      )}
    </>
  );
}

interface KeyActions {
  readonly reload: () => void;
  readonly onAliases: (key: ApiKey) => void;
}

function columnsOf(instance: string, { reload, onAliases }: KeyActions) {
  const path = ({ id }: ApiKey) => itemPath(apiKeyType, instance, id);
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
          <Button class="small" onAct={() => view(key)} text="View as" />
          <Button class="small" onAct={() => onAliases(key)} text="Aliases…" />
          <Button class="small" onAct={() => reset(key)} text="Reset…" />
          <Button class="small danger" onAct={() => remove(key)} text="Delete…" />
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

const noFlags = {
  ignore_acl: false,
  allow_user_create: false,
  allow_group_create: false,
  allow_anonymous_read: false,
};

function NewKey({ onSend, onCancel }: NewItemProps) {
  return (
    <DraftForm
      start={{ description: '', ...noFlags }}
      verb="Make the key"
      onSend={onSend}
      onCancel={onCancel}
    >
      {({ text, check }) => (
        <>
          <TextField
            label="For which app"
            input={{ maxLength: 256, autocomplete: 'off' }}
            {...text('description')}
          />
          {flagTexts.map(([flag, hint]) => (
            <CheckField key={flag} label={flag} hint={hint} {...check(flag)} />
          ))}
        </>
      )}
    </DraftForm>
  );
}
