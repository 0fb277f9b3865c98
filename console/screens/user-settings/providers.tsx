import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { urlOf } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { notify } from '../../core/notices.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { actionsColumn, Table, type TableColumn } from '../../parts/table.tsx';
import { ProviderDialog } from './provider-dialog.tsx';
import { logInServices, type Provider, type SettingsPartProps } from './user-settings-data.ts';

/** The services by which users log in. */
export function Providers({ instance, settings, onSave }: SettingsPartProps) {
  const { providers } = settings;
  const [changed, setChanged] = useState<Provider | 'new'>();
  const remove = async ({ name }: Provider) => {
    const verb = 'Remove service';
    const text = `Users who log in by ${name} have to log in another way. Their accounts stay.`;
    if (!(await confirm({ title: `Remove ${name}`, text, verb }))) return;
    await onSave({ providers: providers.filter((each) => each.name !== name) });
    notify(`${name} is removed.`);
  };
  return (
    <Card title="Services" id="services">
      <p class="about">
        Users log in by an account that they have elsewhere. Secrets are stored encrypted and never
        shown again.
      </p>
      {providers.length > 0 && (
        <Table
          caption="Services for log-ins"
          rows={providers}
          keyOf={({ name }) => name}
          columns={[...columns, callbackColumn(instance), buttonsColumn(setChanged, remove)]}
        />
      )}
      <Button onAct={() => setChanged('new')} text="New service" />
      {changed !== undefined && (
        <ProviderDialog
          provider={changed === 'new' ? undefined : changed}
          onSave={async (body) => {
            const name = changed === 'new' ? undefined : changed.name;
            await onSave({ providers: withProvider(providers, name, body) });
            setChanged(undefined);
          }}
          onClose={() => setChanged(undefined)}
        />
      )}
    </Card>
  );
}

/** Returns the services with one that was changed, or a new one at the end. */
function withProvider(
  providers: readonly Provider[],
  name: string | undefined,
  body: object,
): readonly object[] {
  if (name === undefined) return [...providers, body];
  return providers.map((each) => (each.name === name ? body : each));
}

const columns: readonly TableColumn<Provider>[] = [
  { name: 'Name', cell: ({ name }) => name },
  { name: 'Service', cell: ({ kind, issuer }) => issuer ?? logInServices[kind] },
  { name: 'Client id', cell: ({ client_id }) => <code>{client_id}</code> },
  {
    name: 'Secret',
    cell: ({ has_secret }) => (has_secret ? 'stored' : <span class="soft">none</span>),
  },
];

/** The address that the service asks for when an app is registered with it. */
function callbackColumn(instance: string): TableColumn<Provider> {
  return {
    name: 'Callback',
    cell: ({ name }) => (
      <CopyButton
        text={() => urlOf({ path: at`instances/${instance}/user/auth/${name}/callback/` })}
        label="Copy"
        about={`the callback address of ${name}`}
      />
    ),
  };
}

function buttonsColumn(
  change: (provider: Provider) => void,
  remove: (provider: Provider) => Promise<void>,
): TableColumn<Provider> {
  return actionsColumn((provider) => (
    <div class="actions">
      <Button
        class="small"
        aria-label={`Edit ${provider.name}`}
        onAct={() => change(provider)}
        text="Edit…"
      />
      <Button
        class="small danger"
        aria-label={`Remove ${provider.name}`}
        onAct={() => remove(provider)}
        text="Remove…"
      />
    </div>
  ));
}
