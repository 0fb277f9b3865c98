import { useEffect, useRef, useState } from 'preact/hooks';
import { at, below } from '../../../shared/values/text/request-path.ts';
import { type ApiProblem, send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { parseJson } from '../../core/json-text.ts';
import { toApiProblem, useRecord } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import { itemPath } from '../../core/record-type.ts';
import { href, leaveTo, type ScreenProps, setQuery } from '../../core/router.ts';
import type { Trace } from '../../core/traces.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { bindDraft } from '../../parts/draft-form.tsx';
import { LoadedData, Problem } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { TraceListView } from '../../parts/trace-list.tsx';
import { useUnsaved } from '../../parts/unsaved.ts';
import { type KeptArguments, keepArguments, readArguments } from './argument-store.ts';
import { Arguments } from './arguments.tsx';
import { findNewer, isDraftChanged, type ScriptDraft, sendDraft, toScriptDraft } from './draft.ts';
import { NewerScript } from './newer-script.tsx';
import { Python2Note } from './python2-note.tsx';
import { languageOf, type Script, scriptName, scriptType } from './script-data.ts';
import { ScriptFields } from './script-fields.tsx';

/** Edits and runs a script. */
export function Screen({ names: { instance = '', id = '' } }: ScreenProps) {
  const script = useRecord<Script>(itemPath(scriptType, instance, id));
  const above = [{ text: 'Scripts', href: href(scriptType.place(instance)) }];
  if (script.data !== undefined) {
    return <Editor instance={instance} loaded={script.data} above={above} />;
  }
  return (
    <ScreenFrame title={`Script ${id}`} above={above}>
      <LoadedData of={script}>{() => null}</LoadedData>
    </ScreenFrame>
  );
}

interface EditorProps {
  readonly instance: string;
  readonly loaded: Script;
  readonly above: readonly { readonly text: string; readonly href: string }[];
}

function Editor({ instance, loaded, above }: EditorProps) {
  const { script, draft, isDirty, problem, change, save, newer, settle } = useDraft(
    instance,
    loaded,
  );
  const id = String(script.id);
  const path = itemPath(scriptType, instance, id);
  const [kept, setKept] = useState(() => readArguments(instance, id));
  const [latest, setLatest] = useState<number>();
  const keep = (next: KeptArguments) => {
    keepArguments(instance, id, next);
    setKept(next);
  };
  const run = async () => {
    const payload = parseJson(kept.text.trim() === '' ? '{}' : kept.text);
    if (!(await save())) return;
    const request = { method: 'POST', path: below(path)`run/`, body: { payload } } as const;
    const trace = await send<Trace>(request);
    setLatest(trace.id);
    setQuery({ run: String(trace.id) });
  };
  useSaveKey(() => attempt(save));
  const startRun = () => attempt(run);
  return (
    <ScreenFrame
      title={scriptName(script)}
      above={above}
      actions={
        <>
          {isDirty && <span class="soft">Not saved</span>}
          <Button disabled={!isDirty} onAct={save} text="Save" />
          <Button class="main" onAct={startRun} text={isDirty ? 'Save and run' : 'Run'} />
        </>
      }
    >
      {problem !== undefined && <Problem message={problem.message} />}
      <CodeEditor
        label="Source"
        language={languageOf(draft.runtime_name)}
        value={draft.source}
        onValue={(source) => change({ source })}
        onRun={startRun}
        error={problem?.fields.source}
        hint="Ctrl-S saves, Ctrl-Enter saves and runs."
      />
      <Python2Note language={languageOf(draft.runtime_name)} source={draft.source} />
      <div class="columns">
        <Card title="Arguments" id="arguments">
          <Arguments kept={kept} onKept={keep} onRun={startRun} />
        </Card>
        <ScriptFields draft={bindDraft({ values: draft, errors: problem?.fields ?? {}, change })} />
      </div>
      <TraceListView path={below(path)`traces/`} latest={latest} />
      <h2>More</h2>
      <div class="actions">
        <a class="button" href={href(at`/i/${instance}/endpoints`, { script: id })}>
          Give it an address…
        </a>
        <Button class="danger" onAct={() => remove(instance, script)} text="Delete the script…" />
      </div>
      {newer !== undefined && <NewerScript newer={newer} onSettle={settle} />}
    </ScreenFrame>
  );
}

/** State of a script that is edited, and how it is saved. */
function useDraft(instance: string, loaded: Script) {
  const [script, setScript] = useState(loaded);
  const [draft, setDraft] = useState(() => toScriptDraft(loaded));
  const [problem, setProblem] = useState<ApiProblem>();
  const [newer, setNewer] = useState<Script>();
  const settled = useRef<(isSaved: boolean) => void>(undefined);
  const isDirty = isDraftChanged(draft, script);
  useUnsaved(isDirty);
  const take = (next: Script) => {
    setScript(next);
    setDraft(toScriptDraft(next));
  };
  const write = async (): Promise<boolean> => {
    try {
      const sent = draft;
      const saved = await sendDraft(instance, sent, script);
      setScript(saved);
      setDraft((current) => (current === sent ? toScriptDraft(saved) : current)); // typed meanwhile
      setProblem(undefined);
      notify('Saved.');
      return true;
    } catch (error) {
      setProblem(toApiProblem(error));
      return false;
    }
  };
  return {
    script,
    draft,
    isDirty,
    problem,
    newer,
    change: (changes: Partial<ScriptDraft>) => setDraft((current) => ({ ...current, ...changes })),
    /** Resolves with whether the script on the server is the draft. */
    save: async (): Promise<boolean> => {
      if (!isDirty) return true;
      const found = await findNewer(instance, script);
      if (found === undefined) return write();
      setNewer(found);
      return new Promise((resolve) => {
        settled.current = resolve;
      });
    },
    /** Ends the question what is done with a script that was changed on the server. */
    settle: async (choice: 'overwrite' | 'take' | 'cancel') => {
      if (choice === 'take' && newer !== undefined) take(newer);
      setNewer(undefined);
      settled.current?.(choice === 'overwrite' && (await write()));
    },
  };
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

async function remove(instance: string, script: Script): Promise<void> {
  const isSure = await confirm({
    title: 'Delete the script',
    text: `${scriptName(script)} is gone then, with its endpoints, triggers and schedules.`,
    verb: 'Delete the script',
  });
  if (!isSure) return;
  await send({ method: 'DELETE', path: itemPath(scriptType, instance, script.id) });
  notify(`${scriptName(script)} is deleted.`);
  leaveTo(scriptType.place(instance));
}
