import { useState } from 'preact/hooks';
import { DescriptionField } from '../../parts/description-field.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ScriptField, useScripts } from '../../parts/script-choice.tsx';
import type { Schedule } from './schedule-data.ts';
import { fromTimes, TimesFields, toTimes } from './schedule-times.tsx';

/** What a client sends. */
export type ScheduleInput = Omit<Schedule, 'id' | 'created_at' | 'scheduled_next' | 'missed'>;

interface ScheduleFormProps {
  readonly instance: string;
  /** Absent: a new one. */
  readonly schedule?: Schedule;
  readonly verb: string;
  readonly onSend: (input: ScheduleInput) => Promise<void>;
  readonly onCancel?: () => void;
}

/** The fields of a schedule. */
export function ScheduleForm({ instance, schedule, onSend, ...form }: ScheduleFormProps) {
  const [label, setLabel] = useState(schedule?.label ?? '');
  const [description, setDescription] = useState(schedule?.description ?? '');
  const [script, setScript] = useState(schedule === undefined ? '' : String(schedule.script));
  const [times, setTimes] = useState(toTimes(schedule));
  const scripts = useScripts(instance);
  const input = { label, description, script: Number(script), ...fromTimes(times) };
  return (
    <Form {...form} onSend={() => onSend(input)}>
      {(errors) => (
        <>
          <TextField label="Label" value={label} onValue={setLabel} error={errors.label} />
          <Loaded of={scripts}>
            {(all) => (
              <ScriptField
                instance={instance}
                scripts={all}
                value={script}
                onValue={setScript}
                error={errors.script}
              />
            )}
          </Loaded>
          <TimesFields times={times} onTimes={setTimes} errors={errors} />
          <DescriptionField value={description} onValue={setDescription} errors={errors} />
        </>
      )}
    </Form>
  );
}
