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

/** The arguments of the next run, and those that were kept under a name. */
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
    <>
      <CodeEditor
        label="Arguments, as JSON"
        language="json"
        value={text}
        onValue={(next) => onKept({ text: next, presets })}
        onRun={onRun}
        isSmall
        hint="The script reads them as ARGS."
      />
      <div class="row">
        {names.length > 0 && (
          <SelectField
            label="Kept arguments"
            value={chosen}
            onValue={(name) => onKept({ text: presets[name] ?? text, presets })}
            options={[['', 'none of them'], ...names.map((name) => [name, name] as const)]}
          />
        )}
        {chosen === '' ? (
          <Button onAct={() => setNaming(true)} text="Keep these…" />
        ) : (
          <Button onAct={forget} text="Forget these" />
        )}
      </div>
      {isNaming && <NameDialog onName={keep} onClose={() => setNaming(false)} />}
    </>
  );
}

interface NameDialogProps {
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}

function NameDialog({ onName, onClose }: NameDialogProps) {
  return (
    <FormDialog
      title="Keep the arguments"
      start={{ name: '' }}
      verb="Keep them"
      onSend={async ({ name }) => onName(name)}
      onClose={onClose}
    >
      {({ text }) => (
        <TextField
          label="Name"
          hint="They stay in this tab, until it is closed or you sign out."
          input={{ required: true, autocomplete: 'off' }}
          {...text('name')}
        />
      )}
    </FormDialog>
  );
}
