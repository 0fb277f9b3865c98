import { useState } from 'preact/hooks';
import { DescriptionField } from '../../parts/description-field.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import type { Group } from '../users/user-data.ts';

/** What a person sets of a group. */
type GroupInput = Omit<Group, 'id'>;

interface GroupFormProps {
  readonly group?: GroupInput;
  readonly verb: string;
  readonly onSend: (group: GroupInput) => Promise<void>;
  readonly onCancel?: () => void;
}

/** The fields of a group. */
export function GroupForm({ group, verb, onSend, onCancel }: GroupFormProps) {
  const [label, setLabel] = useState(group?.label ?? '');
  const [name, setName] = useState(group?.name ?? '');
  const [description, setDescription] = useState(group?.description ?? '');
  const save = () => onSend({ label, description, name: name.trim() === '' ? null : name });
  return (
    <Form verb={verb} onSend={save} {...(onCancel && { onCancel })}>
      {(errors) => (
        <>
          <TextField
            label="Label"
            hint="What people call it."
            value={label}
            onValue={setLabel}
            error={errors.label}
            input={{ autocomplete: 'off', maxLength: 64 }}
          />
          <TextField
            label="Name for scripts and apps"
            hint="Optional. Lower-case letters, digits, - and _; begins with a letter."
            value={name}
            onValue={setName}
            error={errors.name}
            input={{ autocomplete: 'off', spellcheck: false, maxLength: 64 }}
          />
          <DescriptionField
            value={description}
            onValue={setDescription}
            error={errors.description}
          />
        </>
      )}
    </Form>
  );
}
