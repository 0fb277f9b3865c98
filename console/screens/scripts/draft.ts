import { useEffect, useRef, useState } from 'preact/hooks';
import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { type ApiProblem, send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { formatDistance } from '../../core/format.ts';
import { parseObject } from '../../core/json-text.ts';
import { toApiProblem } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import { itemPath } from '../../core/record-type.ts';
import { useUnsaved } from '../../parts/unsaved.ts';
import { type Script, scriptType } from './script-data.ts';

/** A script as it is edited. */
export interface ScriptDraft {
  readonly label: string;
  readonly description: string;
  readonly runtime_name: string;
  readonly source: string;
  /** JSON text. */
  readonly config: string;
}

function toScriptDraft({ label, description, runtime_name, source, config }: Script): ScriptDraft {
  return { label, description, runtime_name, source, config: writeExactJson(config, 2) };
}

/** Returns a script that is edited in several tabs, and how it is saved; Ctrl-S saves it too. */
export function useDraft(instance: string, loaded: Script) {
  const [script, setScript] = useState(loaded);
  const [draft, setDraft] = useState(() => toScriptDraft(loaded));
  const [problem, setProblem] = useState<ApiProblem>();
  const isDirty = JSON.stringify(draft) !== JSON.stringify(toScriptDraft(script));
  useUnsaved(isDirty);
  const write = async () => {
    try {
      const saved = await sendDraft(instance, draft, script);
      setScript(saved);
      setDraft((current) => (current === draft ? toScriptDraft(saved) : current)); // typed while it was sent
      setProblem(undefined);
      notify('Saved.');
      return true;
    } catch (error) {
      setProblem(toApiProblem(error));
      return false;
    }
  };
  /** Resolves with whether the script on the server is the draft. */
  const save = async () => !isDirty || ((await mayOverwrite(instance, script)) && write());
  useSaveKey(() => attempt(save));
  const change = (changes: Partial<ScriptDraft>) =>
    setDraft((current) => ({ ...current, ...changes }));
  return { script, draft, isDirty, problem, change, save };
}

/** Asks before a change is overwritten that was made on the server since the script was loaded. */
async function mayOverwrite(instance: string, { id, updated_at }: Script): Promise<boolean> {
  const path = itemPath(scriptType, instance, id);
  const current = await send<Script>({ method: 'GET', path });
  if (current.updated_at === updated_at) return true;
  return confirm({
    title: 'Replace the newer version?',
    text: `The script was changed on the server ${formatDistance(current.updated_at)}, after you opened it. Saving replaces that change. To see it first, cancel and open the script in another tab.`,
    verb: 'Replace',
  });
}

/** Sends what a draft changes of a script. */
function sendDraft(instance: string, draft: ScriptDraft, script: Script): Promise<Script> {
  const before = toScriptDraft(script);
  const changed = Object.entries(draft).filter(
    ([name, value]) => value !== before[name as keyof ScriptDraft], // its own name
  );
  const body = Object.fromEntries(
    changed.map(([name, value]) => [name, name === 'config' ? parseObject(value) : value]),
  );
  return send({ method: 'PATCH', path: itemPath(scriptType, instance, script.id), body });
}

function useSaveKey(save: () => void): void {
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isSave = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's';
      if (!isSave || event.altKey || event.shiftKey) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
