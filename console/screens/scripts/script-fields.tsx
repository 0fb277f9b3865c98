import { CodeEditor } from '../../parts/code-editor.tsx';
import { DescriptionField } from '../../parts/description-field.tsx';
import { SelectField, TextField } from '../../parts/form.tsx';
import type { ScriptDraft } from './draft.ts';
import { runtimeOptions } from './script-data.ts';

interface ScriptFieldsProps {
  readonly draft: ScriptDraft;
  readonly errors: Readonly<Record<string, string>>;
  readonly onChange: (changes: Partial<ScriptDraft>) => void;
}

/** Everything of a script but its source. */
export function ScriptFields({ draft, errors, onChange }: ScriptFieldsProps) {
  return (
    <section class="card" aria-labelledby="about-script">
      <h2 id="about-script">About the script</h2>
      <div class="row">
        <TextField
          label="Label"
          value={draft.label}
          onValue={(label) => onChange({ label })}
          error={errors.label}
          input={{ autocomplete: 'off', maxLength: 80 }}
        />
        <SelectField
          label="Runtime"
          value={draft.runtime_name}
          onValue={(runtime_name) => onChange({ runtime_name })}
          error={errors.runtime_name}
          options={runtimeOptions(draft.runtime_name)}
        />
      </div>
      <DescriptionField
        value={draft.description}
        onValue={(description) => onChange({ description })}
        error={errors.description}
      />
      <CodeEditor
        label="Configuration, as JSON"
        language="json"
        value={draft.config}
        onValue={(config) => onChange({ config })}
        error={errors.config}
        isSmall
        hint="The script reads it as CONFIG. timeout is the time limit in seconds."
      />
    </section>
  );
}
