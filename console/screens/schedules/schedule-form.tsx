import { DraftForm, type ItemFormProps } from '../../parts/draft-form.tsx';
import { DescriptionField, TextField } from '../../parts/form.tsx';
import { LoadedScriptField } from '../../parts/script-choice.tsx';
import type { Schedule } from './schedule-data.ts';
import { fromTimes, TimesFields, toTimes } from './schedule-times.tsx';

/** The fields of a schedule. */
export function ScheduleForm({ instance, item, onSend, onCancel }: ItemFormProps<Schedule>) {
  const start = {
    label: item?.label ?? '',
    description: item?.description ?? '',
    script: String(item?.script ?? ''),
    ...toTimes(item),
  };
  return (
    <DraftForm
      start={start}
      verb={item === undefined ? 'Create the schedule' : 'Save'}
      onSend={({ label, description, script, ...times }) =>
        onSend({ label, description, script: Number(script), ...fromTimes(times) })
      }
      onCancel={onCancel}
    >
      {(draft) => (
        <>
          <TextField label="Label" {...draft.text('label')} />
          <LoadedScriptField instance={instance} {...draft.text('script')} />
          <TimesFields draft={draft} />
          <DescriptionField {...draft.text('description')} />
        </>
      )}
    </DraftForm>
  );
}
