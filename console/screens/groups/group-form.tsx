import { DraftForm, type ItemFormProps } from '../../parts/draft-form.tsx';
import { DescriptionField, TextField } from '../../parts/form.tsx';
import type { Group } from '../users/user-data.ts';

/** The fields of a group. */
export function GroupForm({ item, onSend, onCancel }: ItemFormProps<Group>) {
  const start = {
    label: item?.label ?? '',
    name: item?.name ?? '',
    description: item?.description ?? '',
  };
  return (
    <DraftForm
      start={start}
      verb={item === undefined ? 'Make the group' : 'Save the group'}
      onSend={(values) =>
        onSend({ ...values, name: values.name.trim() === '' ? null : values.name })
      }
      onCancel={onCancel}
    >
      {({ text }) => (
        <>
          <TextField
            label="Label"
            hint="What people call it."
            input={{ autocomplete: 'off', maxLength: 64 }}
            {...text('label')}
          />
          <TextField
            label="Name for scripts and apps"
            hint="Optional. Lower-case letters, digits, - and _; begins with a letter."
            input={{ autocomplete: 'off', spellcheck: false, maxLength: 64 }}
            {...text('name')}
          />
          <DescriptionField {...text('description')} />
        </>
      )}
    </DraftForm>
  );
}
