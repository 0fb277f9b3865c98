import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { DescriptionField } from '../../parts/description-field.tsx';
import { CheckField, Form, SelectField, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import type { Group } from '../users/user-data.ts';
import { type Channel, permissionTexts } from './channel-data.ts';

interface ChannelFormProps {
  readonly instance: string;
  /** Absent: a new one. */
  readonly channel?: Channel;
  readonly verb: string;
  readonly onSend: (input: Partial<ChannelInput>) => Promise<void>;
  readonly onCancel?: () => void;
}

/** What is sent of a channel. */
export type ChannelInput = Omit<Channel, 'created_at' | 'updated_at'>;

const permissions = Object.entries(permissionTexts);

/** The fields of a channel. */
export function ChannelForm({ instance, channel, onSend, ...form }: ChannelFormProps) {
  const [input, setInput] = useState<ChannelInput>(channel ?? newChannel);
  const change = (changes: Partial<ChannelInput>) => setInput({ ...input, ...changes });
  const { name, type, ...others } = input;
  return (
    <Form {...form} onSend={() => onSend(channel === undefined ? input : others)}>
      {(errors) => (
        <>
          {channel === undefined && <NewChannelFields {...{ input, change, errors }} />}
          <DescriptionField
            value={input.description}
            onValue={(description) => change({ description })}
            error={errors.description}
          />
          <CheckField
            label="Clients may publish"
            hint="Otherwise the only messages are those about changes of data."
            isChecked={input.custom_publish}
            onChecked={(custom_publish) => change({ custom_publish })}
            error={errors.custom_publish}
          />
          <SelectField
            label="Every user may"
            value={input.other_permissions}
            onValue={(value) => change({ other_permissions: asPermission(value) })}
            error={errors.other_permissions}
            options={permissions}
          />
          <GroupFields {...{ instance, input, change, errors }} />
        </>
      )}
    </Form>
  );
}

const newChannel = {
  name: '',
  description: '',
  type: 'default',
  group: null,
  group_permissions: 'none',
  other_permissions: 'none',
  custom_publish: true,
} as const satisfies ChannelInput;

interface FieldsProps {
  readonly input: ChannelInput;
  readonly change: (changes: Partial<ChannelInput>) => void;
  readonly errors: Readonly<Record<string, string>>;
}

function NewChannelFields({ input, change, errors }: FieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        hint="A letter, then letters, digits, - and _. It is part of the address."
        value={input.name}
        onValue={(name) => change({ name })}
        error={errors.name}
        input={{ required: true, autocomplete: 'off', spellcheck: false }}
      />
      <SelectField
        label="Rooms"
        value={input.type}
        onValue={(value) => change({ type: value === 'default' ? 'default' : 'separate_rooms' })}
        error={errors.type}
        options={[
          ['default', 'no: every listener gets every message'],
          ['separate_rooms', 'yes: each message is for one room'],
        ]}
        hint="This cannot be changed later."
      />
    </>
  );
}

function GroupFields({ instance, input, change, errors }: FieldsProps & { instance: string }) {
  const path = at`instances/${instance}/groups/`;
  const groups = useLoad(() => readAll<Group>(path, { fields: 'id,label' }), [path]);
  return (
    <LoadedData of={groups}>
      {(all) => (
        <div class="row">
          <SelectField
            label="Group"
            value={String(input.group ?? '')}
            onValue={(value) => change({ group: value === '' ? null : Number(value) })}
            error={errors.group}
            options={[
              ['', 'none'],
              ...all.map(({ id, label }) => [String(id), label || `Group ${id}`] as const),
            ]}
          />
          <SelectField
            label="Its members may"
            value={input.group_permissions}
            onValue={(value) => change({ group_permissions: asPermission(value) })}
            error={errors.group_permissions}
            options={permissions}
            isDisabled={input.group === null}
          />
        </div>
      )}
    </LoadedData>
  );
}

function asPermission(value: string): Channel['other_permissions'] {
  return value === 'publish' || value === 'subscribe' ? value : 'none';
}
