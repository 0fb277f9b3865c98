import { useState } from 'preact/hooks';
import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { parseObject } from '../../core/json-text.ts';
import { useLoad } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import { href, navigate, type ScreenProps } from '../../core/router.ts';
import { DangerButton } from '../../parts/danger-button.tsx';
import { DescriptionField } from '../../parts/description-field.tsx';
import { confirmName } from '../../parts/dialog.tsx';
import { AreaField, Form, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import type { InstanceRecord } from './operation-data.ts';

/** Description, metadata, configuration, name and end of an instance. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const record = useLoad<InstanceRecord>(
    (signal) => send({ method: 'GET', path: at`instances/${instance}/`, signal }),
    [instance],
  );
  const config = useLoad<{ readonly config: object }>(
    (signal) => send({ method: 'GET', path: at`instances/${instance}/snippets/config/`, signal }),
    [instance],
  );
  return (
    <ScreenFrame title="Settings">
      <section class="card">
        <h2>Description</h2>
        <LoadedData of={record}>
          {(data) => <Description instance={instance} record={data} />}
        </LoadedData>
      </section>
      <section class="card">
        <h2>Configuration of scripts</h2>
        <p class="about">
          Scripts read it as <code>CONFIG</code>. It may hold secrets: of the API keys, only those
          with <code>ignore_acl</code> can read it.
        </p>
        <LoadedData of={config}>
          {(data) => <Config instance={instance} config={data.config} />}
        </LoadedData>
      </section>
      <section class="card">
        <h2>Name</h2>
        <p class="about">
          The name is part of every address. After a renaming the old addresses respond with 404.
        </p>
        <LoadedData of={record}>{() => <Rename instance={instance} />}</LoadedData>
      </section>
      <section class="card">
        <h2>Delete</h2>
        <p class="about">
          Data, files, users and code are gone at once. Your backups stay:{' '}
          <a href={href(at`/backups`)}>the list of all of them</a> restores one into a new instance.
        </p>
        <DangerButton
          of={record}
          verb="Delete the instance…"
          onAct={(data) => remove(instance, data)}
        />
      </section>
    </ScreenFrame>
  );
}

interface DescriptionProps {
  readonly instance: string;
  readonly record: InstanceRecord;
}

function Description({ instance, record }: DescriptionProps) {
  const [description, setDescription] = useState(record.description);
  const [metadata, setMetadata] = useState(writeExactJson(record.metadata, 2));
  const save = async () => {
    const body = { description, metadata: parseObject(metadata) };
    await send({ method: 'PATCH', path: at`instances/${instance}/`, body });
    notify('Saved.');
  };
  return (
    <Form verb="Save the description" onSend={save}>
      {(errors) => (
        <>
          <DescriptionField
            value={description}
            onValue={setDescription}
            error={errors.description}
          />
          <AreaField
            label="Metadata, as JSON"
            value={metadata}
            onValue={setMetadata}
            error={errors.metadata}
            isCode
          />
        </>
      )}
    </Form>
  );
}

interface ConfigProps {
  readonly instance: string;
  readonly config: object;
}

function Config({ instance, config }: ConfigProps) {
  const [text, setText] = useState(writeExactJson(config, 2));
  const save = async () => {
    const body = { config: parseObject(text) };
    await send({ method: 'PUT', path: at`instances/${instance}/snippets/config/`, body });
    notify('Saved.');
  };
  return (
    <Form verb="Save the configuration" onSend={save}>
      {(errors) => (
        <AreaField
          label="Configuration, as JSON"
          value={text}
          onValue={setText}
          error={errors.config}
          rows={8}
          isCode
        />
      )}
    </Form>
  );
}

function Rename({ instance }: { readonly instance: string }) {
  const [name, setName] = useState(instance);
  const rename = async () => {
    const body = { new_name: name };
    await send({ method: 'POST', path: at`instances/${instance}/rename/`, body });
    notify(`The instance is named ${name} now.`);
    navigate(at`/i/${name}/settings`);
  };
  return (
    <Form verb="Rename the instance" onSend={rename}>
      {(errors) => (
        <TextField
          label="New name"
          value={name}
          onValue={setName}
          error={errors.new_name ?? errors.name}
          input={{ required: true, spellcheck: false, autocomplete: 'off' }}
        />
      )}
    </Form>
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
