import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { FormDialog } from '../../parts/draft-form.tsx';
import { SelectField, TextField } from '../../parts/form.tsx';
import type { KeptArguments } from './argument-store.ts';

interface ArgumentsProps {
  readonly kept: KeptArguments;
  readonly onKept: (kept: KeptArguments) => void;
  readonly onRun: () => void;
}

/** The arguments of the next run, and their presets. */
export function Arguments({ kept, onKept, onRun }: ArgumentsProps) {
  const [isNaming, setNaming] = useState(false);
  const { text, presets } = kept;
  const names = Object.keys(presets);
  const chosen = names.find((name) => presets[name] === text) ?? '';
  const keep = (name: string) => {
    onKept({ text, presets: { ...presets, [name]: text } });
    setNaming(false);
  };
  const forget = () => {
    const { [chosen]: _, ...others } = presets;
    onKept({ text, presets: others });
  };
  return (
    <div class="stack">
      <CodeEditor
        label="Arguments"
        language="json"
        value={text}
        onValue={(next) => onKept({ text: next, presets })}
        onRun={onRun}
        isSmall
        hint="JSON, read as ARGS."
      />
      {names.length > 0 && (
        <SelectField
          label="Preset"
          value={chosen}
          onValue={(name) => onKept({ text: presets[name] ?? text, presets })}
          options={[['', 'None'], ...names.map((name) => [name, name] as const)]}
        />
      )}
      <div class="actions">
        {chosen === '' ? (
          <Button onAct={() => setNaming(true)} text="Save as preset…" />
        ) : (
          <Button onAct={forget} text="Delete preset" />
        )}
      </div>
      {isNaming && (
        <FormDialog
          title="Save as preset"
          start={{ name: '' }}
          verb="Save"
          onSend={async ({ name }) => keep(name)}
          onClose={() => setNaming(false)}
        >
          {(draft) => (
            <TextField
              label="Name"
              hint="Presets stay in this tab until you close it or sign out."
              input={{ required: true, autocomplete: 'off' }}
              {...draft.text('name')}
            />
          )}
        </FormDialog>
      )}
    </div>
  );
}
