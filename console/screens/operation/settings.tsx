import { useState } from 'preact/hooks';
import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { at, below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { useDeployment } from '../../core/deployment.ts';
import { formatSize } from '../../core/format.ts';
import { parseObject } from '../../core/json-text.ts';
import { useRecord } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import { navigate, type ScreenProps } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { AreaField, DescriptionField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { RenameDialog } from '../../parts/rename-dialog.tsx';
import { Table } from '../../parts/table.tsx';
import type { InstanceRecord } from './operation-data.ts';

/** Description, metadata, configuration, name and end of an instance, and settings of its server. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const path = at`instances/${instance}/`;
  const record = useRecord<InstanceRecord>(path);
  const { data: shown } = record;
  const [isRenaming, setRenaming] = useState(false);
  return (
    <ScreenFrame
      title="Settings"
      actions={
        shown && (
          <>
            <Button
              sends={{ method: 'POST', path: below(path)`rename/` }}
              onAct={() => setRenaming(true)}
              text="Rename…"
            />
            <Button
              class="danger"
              sends={{ method: 'DELETE', path }}
              onAct={() => remove(instance, shown)}
              text="Delete…"
            />
          </>
        )
      }
    >
      <Card title="General">
        <LoadedData of={record}>
          {({ description, metadata }) => (
            <DraftForm
              start={{ description, metadata: writeExactJson(metadata, 2) }}
              verb="Save"
              sends={{ method: 'PATCH', path }}
              onSend={async (values) => {
                const body = { ...values, metadata: parseObject(values.metadata) };
                await send({ method: 'PATCH', path, body });
                notify('Saved.');
              }}
            >
              {({ text }) => (
                <>
                  <DescriptionField {...text('description')} />
                  <AreaField label="Metadata (JSON)" isCode {...text('metadata')} />
                </>
              )}
            </DraftForm>
          )}
        </LoadedData>
      </Card>
      <Configuration path={below(path)`snippets/config/`} />
      <ServerSettings />
      {isRenaming && (
        <RenameDialog
          thing="instance"
          path={path}
          list={at`/i`}
          name={instance}
          onClose={() => setRenaming(false)}
        />
      )}
    </ScreenFrame>
  );
}

function Configuration({ path }: { readonly path: RequestPath }) {
  const config = useRecord<{ readonly config: object }>(path);
  const sends = { method: 'PUT', path } as const;
  return (
    <Card title="Configuration of scripts" id="configuration">
      <p class="about">
        Scripts read it as <code>CONFIG</code>. It may hold secrets: of the API keys, only those
        with <code>ignore_acl</code> can read it.
      </p>
      <LoadedData of={config}>
        {(data) => (
          <DraftForm
            start={{ config: writeExactJson(data.config, 2) }}
            verb="Save the configuration"
            sends={sends}
            onSend={async (values) => {
              const body = { config: parseObject(values.config) };
              await send({ ...sends, body });
              notify('Saved.');
            }}
          >
            {({ text }) => (
              <AreaField label="Configuration (JSON)" rows={8} isCode {...text('config')} />
            )}
          </DraftForm>
        )}
      </LoadedData>
    </Card>
  );
}

/** Settings of the server that accounts may see: the operator sets them by variables. */
function ServerSettings() {
  const { settings = [] } = useDeployment().data ?? {};
  if (settings.length === 0) return null;
  return (
    <>
      <h2>Server settings</h2>
      <p class="about">
        The operator of the server sets these variables. Those with secrets, addresses or paths are
        not shown.
      </p>
      <Table
        caption="Server settings"
        rows={settings}
        keyOf={({ name }) => name}
        columns={[
          { name: 'Setting', cell: ({ name }) => <code>{name}</code> },
          {
            name: 'Value',
            cell: ({ name, value }) =>
              /_BYTES$/.test(name) && Number(value) > 0
                ? formatSize(Number(value))
                : (value ?? <span class="soft">not used</span>),
          },
          { name: 'Meaning', cell: ({ meaning }) => meaning },
        ]}
      />
    </>
  );
}

/** Deletes an instance, if the user types the name that the server has for it. */
async function remove(instance: string, { name, owner }: InstanceRecord): Promise<void> {
  const isSure = await confirm({
    title: `Delete the instance ${name}`,
    text: `Data, files, users and code of this instance of ${owner.email} are deleted and cannot be brought back. Your backups stay: restore one into a new instance.`,
    verb: 'Delete the instance',
    name,
  });
  if (!isSure) return;
  await send({ method: 'DELETE', path: at`instances/${instance}/`, confirmedName: name });
  notify(`${name} is deleted.`);
  navigate(at`/`);
}
