import { Card } from '../../parts/card.tsx';
import { CodeEditor } from '../../parts/code-editor.tsx';
import type { FormDraft } from '../../parts/draft-form.tsx';
import { DescriptionField, labelInput, SelectField, TextField } from '../../parts/form.tsx';
import type { ScriptDraft } from './draft.ts';
import { runtimeOptions } from './script-data.ts';

interface ScriptFieldsProps {
  readonly draft: FormDraft<ScriptDraft>;
}

/** Everything of a script but its source. */
export function ScriptFields({ draft: { values, text } }: ScriptFieldsProps) {
  return (
    <Card title="About the script" id="about-script">
      <div class="row">
        <TextField label="Label" input={labelInput} {...text('label')} />
        <SelectField
          label="Runtime"
          options={runtimeOptions(values.runtime_name)}
          {...text('runtime_name')}
        />
      </div>
      <DescriptionField {...text('description')} />
      <CodeEditor
        label="Configuration, as JSON"
        language="json"
        isSmall
        hint="The script reads it as CONFIG. timeout is the time limit in seconds."
        {...text('config')}
      />
    </Card>
  );
}
