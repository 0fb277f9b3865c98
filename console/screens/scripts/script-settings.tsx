import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { counted } from '../../core/format.ts';
import { notify } from '../../core/notices.ts';
import { itemPath } from '../../core/record-type.ts';
import { refusalOf } from '../../core/roles.ts';
import { leaveTo } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { CodeEditor } from '../../parts/code-editor.tsx';
import type { FormDraft } from '../../parts/draft-form.tsx';
import { DescriptionField, labelInput, SelectField, TextField } from '../../parts/form.tsx';
import { Locked } from '../../parts/locked.tsx';
import type { ScriptDraft } from './draft.ts';
import { readRunners, runnerKinds } from './runners.ts';
import { runtimeOptions, type Script, scriptName, scriptType } from './script-data.ts';

interface SettingsProps {
  readonly instance: string;
  readonly script: Script;
  readonly draft: FormDraft<ScriptDraft>;
}

/** Everything of a script but its source, and its deletion. */
export function ScriptSettings({ instance, script, draft: { values, text } }: SettingsProps) {
  const path = itemPath(scriptType, instance, script.id);
  return (
    <div class="stack">
      <Locked isLocked={refusalOf({ method: 'PATCH', path }) !== undefined}>
        <TextField label="Label" input={labelInput} {...text('label')} />
        <DescriptionField {...text('description')} />
        <SelectField
          label="Runtime"
          options={runtimeOptions(values.runtime_name)}
          {...text('runtime_name')}
        />
        <CodeEditor
          label="Configuration"
          language="json"
          isSmall
          hint="JSON, read as CONFIG. timeout is the limit in seconds."
          {...text('config')}
        />
      </Locked>
      <div class="actions">
        <Button
          class="danger"
          sends={{ method: 'DELETE', path }}
          onAct={() => remove(instance, script)}
          text="Delete script…"
        />
      </div>
    </div>
  );
}

async function remove(instance: string, script: Script): Promise<void> {
  const dependents = await findDependents(instance, script.id);
  const name = scriptName(script);
  const isSure = await confirm({
    title: `Delete ${name}?`,
    text:
      dependents.length === 0
        ? 'No endpoint, trigger or schedule uses it. This cannot be undone.'
        : `This also deletes ${dependents.join(', ')}. This cannot be undone.`,
    verb: 'Delete script',
    ...(dependents.length > 0 && { name }),
  });
  if (!isSure) return;
  await send({ method: 'DELETE', path: itemPath(scriptType, instance, script.id) });
  notify(`${name} deleted.`);
  leaveTo(scriptType.place(instance));
}

const shownNames = 5;

/** Returns what is deleted with a script, by count and name: `2 endpoints (greet, buy)`. */
async function findDependents(instance: string, script: number): Promise<readonly string[]> {
  const all = await readRunners(instance, script);
  return runnerKinds.flatMap(({ kind }) => {
    const names = all.filter((each) => each.kind === kind).map(({ name }) => name);
    if (names.length === 0) return [];
    const more = names.length > shownNames ? ', …' : '';
    const some = names.slice(0, shownNames).join(', ');
    return [`${counted(names.length, kind.toLowerCase())} (${some}${more})`];
  });
}
