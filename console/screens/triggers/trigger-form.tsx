import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { DescriptionField } from '../../parts/description-field.tsx';
import { Form, SelectField, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { LoadedScriptField } from '../../parts/script-choice.tsx';
import { signalTexts, type Trigger } from './trigger-data.ts';

/** What a client sends. */
export type TriggerInput = Omit<Trigger, 'id' | 'created_at' | 'updated_at'>;

interface TriggerFormProps {
  readonly instance: string;
  /** Absent: a new one. */
  readonly trigger?: Trigger;
  readonly verb: string;
  readonly onSend: (input: TriggerInput) => Promise<void>;
  readonly onCancel?: () => void;
}

/** The fields of a trigger. */
export function TriggerForm({ instance, trigger, onSend, ...form }: TriggerFormProps) {
  const [label, setLabel] = useState(trigger?.label ?? '');
  const [description, setDescription] = useState(trigger?.description ?? '');
  const [signal, setSignal] = useState<string>(trigger?.signal ?? 'post_create');
  const [className, setClassName] = useState(trigger?.class ?? '');
  const [script, setScript] = useState(trigger === undefined ? '' : String(trigger.script));
  const path = at`instances/${instance}/classes/`;
  const classes = useLoad(
    () => readAll<{ readonly name: string }>(path, { fields: 'name' }),
    [path],
  );
  const input = {
    label,
    description,
    signal: signal as Trigger['signal'], // one of the options
    class: className,
    script: Number(script),
  };
  return (
    <Form {...form} onSend={() => onSend(input)}>
      {(errors) => (
        <>
          <TextField label="Label" value={label} onValue={setLabel} error={errors.label} />
          <LoadedData of={classes}>
            {(all) => (
              <SelectField
                label="When an object of this class"
                value={className}
                onValue={setClassName}
                error={errors.class}
                options={[['', 'Choose a class'], ...all.map(classOption)]}
              />
            )}
          </LoadedData>
          <SelectField
            label="was"
            value={signal}
            onValue={setSignal}
            error={errors.signal}
            options={Object.entries(signalTexts)}
          />
          <LoadedScriptField
            instance={instance}
            value={script}
            onValue={setScript}
            error={errors.script}
          />
          <DescriptionField value={description} onValue={setDescription} errors={errors} />
        </>
      )}
    </Form>
  );
}

function classOption({ name }: { readonly name: string }): readonly [string, string] {
  return [name, name === 'user_profile' ? 'user_profile: the users' : name];
}
