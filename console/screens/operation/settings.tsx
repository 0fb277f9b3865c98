import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { at, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirmName } from '../../core/confirm.ts';
import { parseObject } from '../../core/json-text.ts';
import { useRecord } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import { href, navigate, type ScreenProps } from '../../core/router.ts';
import { Card } from '../../parts/card.tsx';
import { DangerButton } from '../../parts/danger-button.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { AreaField, DescriptionField, nameInput, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import type { InstanceRecord } from './operation-data.ts';

/** Description, metadata, configuration, name and end of an instance. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const record = useRecord<InstanceRecord>(at`instances/${instance}/`);
  const config = useRecord<{ readonly config: object }>(configPath(instance));
  return (
    <ScreenFrame title="Settings">
      <Card title="Description">
        <LoadedData of={record}>
          {(data) => <Description instance={instance} record={data} />}
        </LoadedData>
      </Card>
      <Card title="Configuration of scripts">
        <p class="about">
          Scripts read it as <code>CONFIG</code>. It may hold secrets: of the API keys, only those
          with <code>ignore_acl</code> can read it.
        </p>
        <LoadedData of={config}>
          {(data) => <Config instance={instance} config={data.config} />}
        </LoadedData>
      </Card>
      <Card title="Name">
        <p class="about">
          The name is part of every address. After a renaming the old addresses respond with 404.
        </p>
        <LoadedData of={record}>{() => <Rename instance={instance} />}</LoadedData>
      </Card>
      <Card title="Delete">
        <p class="about">
          Data, files, users and code are gone at once. Your backups stay:{' '}
          <a href={href(at`/backups`)}>the list of all of them</a> restores one into a new instance.
        </p>
        <DangerButton
          of={record}
          verb="Delete the instance…"
          onAct={(data) => remove(instance, data)}
        />
      </Card>
    </ScreenFrame>
  );
}

function configPath(instance: string): RequestPath {
  return at`instances/${instance}/snippets/config/`;
}

interface DescriptionProps {
  readonly instance: string;
  readonly record: InstanceRecord;
}

function Description({ instance, record: { description, metadata } }: DescriptionProps) {
  const save = async (values: { readonly metadata: string }) => {
    const body = { ...values, metadata: parseObject(values.metadata) };
    await send({ method: 'PATCH', path: at`instances/${instance}/`, body });
    notify('Saved.');
  };
  return (
    <DraftForm
      start={{ description, metadata: writeExactJson(metadata, 2) }}
      verb="Save the description"
      onSend={save}
    >
      {({ text }) => (
        <>
          <DescriptionField {...text('description')} />
          <AreaField label="Metadata, as JSON" isCode {...text('metadata')} />
        </>
      )}
    </DraftForm>
  );
}

interface ConfigProps {
  readonly instance: string;
  readonly config: object;
}

function Config({ instance, config }: ConfigProps) {
  const save = async (typed: string) => {
    const body = { config: parseObject(typed) };
    await send({ method: 'PUT', path: configPath(instance), body });
    notify('Saved.');
  };
  return (
    <DraftForm
      start={{ config: writeExactJson(config, 2) }}
      verb="Save the configuration"
      onSend={(values) => save(values.config)}
    >
      {({ text }) => (
        <AreaField label="Configuration, as JSON" rows={8} isCode {...text('config')} />
      )}
    </DraftForm>
  );
}

function Rename({ instance }: { readonly instance: string }) {
  const rename = async (body: { readonly new_name: string }) => {
    await send({ method: 'POST', path: at`instances/${instance}/rename/`, body });
    notify(`The instance is named ${body.new_name} now.`);
    navigate(at`/i/${body.new_name}/settings`);
  };
  return (
    <DraftForm start={{ new_name: instance }} verb="Rename the instance" onSend={rename}>
      {({ text, errors }) => (
        <TextField
          label="New name"
          input={nameInput}
          {...text('new_name')}
          error={errors.new_name ?? errors.name}
        />
      )}
    </DraftForm>
  );
}

/** Deletes an instance, if the user types the name that the server has for it. */
async function remove(instance: string, { name, owner }: InstanceRecord): Promise<void> {
  const confirmedName = await confirmName({
    title: `Delete the instance ${name}`,
    text: `Everything in this instance of ${owner.email} is gone then, and cannot be brought back.`,
    verb: 'Delete everything',
    name,
  });
  if (confirmedName === undefined) return;
  await send({ method: 'DELETE', path: at`instances/${instance}/`, confirmedName });
  notify(`${name} is deleted.`);
  navigate(at`/`);
}
