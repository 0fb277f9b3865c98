import { ClassField } from '../../parts/class-choice.tsx';
import { DraftForm, type ItemFormProps } from '../../parts/draft-form.tsx';
import { DescriptionField, SelectField, TextField } from '../../parts/form.tsx';
import { LoadedScriptField } from '../../parts/script-choice.tsx';
import { signalTexts, type Trigger } from './trigger-data.ts';

/** The fields of a trigger. */
export function TriggerForm({ instance, item, onSend, onCancel }: ItemFormProps<Trigger>) {
  const start = {
    label: item?.label ?? '',
    description: item?.description ?? '',
    signal: item?.signal ?? 'post_create',
    class: item?.class ?? '',
    script: String(item?.script ?? ''),
  };
  return (
    <DraftForm
      start={start}
      verb={item === undefined ? 'Create the trigger' : 'Save'}
      onSend={(values) => onSend({ ...values, script: Number(values.script) })}
      onCancel={onCancel}
    >
      {({ text }) => (
        <>
          <TextField label="Label" {...text('label')} />
          <ClassField
            instance={instance}
            label="When an object of this class"
            none="Choose a class"
            textOf={(name) => (name === 'user_profile' ? 'user_profile: the users' : name)}
            {...text('class')}
          />
          <SelectField label="was" options={Object.entries(signalTexts)} {...text('signal')} />
          <LoadedScriptField instance={instance} {...text('script')} />
          <DescriptionField {...text('description')} />
        </>
      )}
    </DraftForm>
  );
}
