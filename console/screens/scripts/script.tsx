import { useEffect, useRef } from 'preact/hooks';
import { below } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { parseJson } from '../../core/json-text.ts';
import { useRecord } from '../../core/load.ts';
import { attempt } from '../../core/notices.ts';
import { itemPath, itemPlace } from '../../core/record-type.ts';
import { refusalOf, type SentRequest } from '../../core/roles.ts';
import { href, type ScreenProps, setQuery } from '../../core/router.ts';
import { showRun, type Trace } from '../../core/traces.ts';
import { Button } from '../../parts/button.tsx';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { bindDraft } from '../../parts/draft-form.tsx';
import { Empty, LoadedData, Problem } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Tabs, tabsInQuery } from '../../parts/tabs.tsx';
import { chosenRun } from '../../parts/trace-list.tsx';
import { RunView, reveal } from '../../parts/trace-view.tsx';
import { ScriptEndpoints } from '../endpoints/script-endpoints.tsx';
import { useArguments } from './argument-store.ts';
import { Arguments } from './arguments.tsx';
import { useDraft } from './draft.ts';
import { Python2Note } from './python2-note.tsx';
import { chosenRuns } from './runners.ts';
import { languageOf, type Script, scriptName, scriptType } from './script-data.ts';
import { ScriptRuns } from './script-runs.tsx';
import { ScriptSettings } from './script-settings.tsx';

/** Edits and runs a script. */
export function Screen({ names: { instance = '', id = '' } }: ScreenProps) {
  const script = useRecord<Script>(itemPath(scriptType, instance, id));
  if (script.data !== undefined) return <Editor instance={instance} loaded={script.data} />;
  return (
    <ScreenFrame title={`Script ${id}`} above={linksAbove(instance)}>
      <LoadedData of={script}>{() => null}</LoadedData>
    </ScreenFrame>
  );
}

function linksAbove(instance: string) {
  return [{ text: scriptType.title, href: href(scriptType.place(instance)) }];
}

interface EditorProps {
  readonly instance: string;
  readonly loaded: Script;
}

const tabNames = ['Code', 'Runs', 'Endpoints', 'Settings'] as const;
const paneNames = ['Output', 'Arguments'] as const;

function Editor({ instance, loaded }: EditorProps) {
  const { script, draft, isDirty, problem, change, save } = useDraft(instance, loaded);
  const path = itemPath(scriptType, instance, script.id);
  const traces = chosenRuns(instance) ?? below(path)`traces/`;
  const [kept, keep] = useArguments(instance, script.id);
  const place = itemPlace(scriptType, instance, script);
  const { current, tabs } = tabsInQuery(place, tabNames);
  const run = chosenRun();
  const message = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problem !== undefined) reveal(message.current);
  }, [problem]);
  const writes = { method: 'PATCH', path } as const;
  const runs = { method: 'POST', path: below(path)`run/` } as const;
  const panes = refusalOf(runs) === undefined ? paneNames : ([paneNames[0]] as const);
  const pane = tabsInQuery(place, panes, { parameter: 'pane' });
  const startRun = () =>
    attempt(async () => {
      setQuery({ tab: undefined, pane: 'arguments' }); // stay when they are no JSON
      const payload = parseJson(kept.text.trim() === '' ? '{}' : kept.text);
      setQuery({ pane: undefined });
      if (!(await save())) return;
      showRun((await send<Trace>({ ...runs, body: { payload } })).id, { by: undefined });
    });
  const runText = isDirty ? 'Save and run' : 'Run';
  return (
    <ScreenFrame
      title={scriptName(script)}
      above={linksAbove(instance)}
      tabs={tabs}
      actions={
        <>
          {isDirty && <span class="soft">Not saved</span>}
          <Button sends={writes} disabled={!isDirty} onAct={save} text="Save" />
          <Button class="main" sends={runs} onAct={startRun} text={runText} />
        </>
      }
    >
      <div ref={message} tabIndex={-1}>
        {problem !== undefined && <Problem message={problem.message} />}
      </div>
      <div class="code-panes" hidden={current !== 'Code'}>
        <CodeEditor
          label="Source"
          language={languageOf(draft.runtime_name)}
          value={draft.source}
          onValue={(source) => change({ source })}
          onRun={startRun}
          isReadOnly={refusalOf(writes) !== undefined}
          hint="Ctrl-S saves, Ctrl-Enter runs."
        />
        <div class="pane">
          <Tabs label="Run" tabs={pane.tabs} />
          {pane.current === 'Arguments' && <Arguments kept={kept} onKept={keep} onRun={startRun} />}
          {pane.current === 'Output' &&
            (run === undefined ? (
              <NoOutput sends={runs} onRun={startRun} />
            ) : (
              <RunView key={run} list={traces} id={run} />
            ))}
        </div>
      </div>
      <Python2Note language={languageOf(draft.runtime_name)} source={draft.source} />
      {current === 'Runs' && <ScriptRuns instance={instance} script={script.id} path={traces} />}
      {current === 'Endpoints' && <ScriptEndpoints instance={instance} script={script} />}
      {current === 'Settings' && (
        <ScriptSettings
          instance={instance}
          script={script}
          draft={bindDraft({ values: draft, errors: {}, change })} // the message above the tabs names fields
        />
      )}
    </ScreenFrame>
  );
}

interface NoOutputProps {
  readonly sends: SentRequest;
  readonly onRun: () => void;
}

function NoOutput({ sends, onRun }: NoOutputProps) {
  const mayRun = refusalOf(sends) === undefined;
  return (
    <Empty>
      <p>
        {mayRun ? 'Run the script to see its output here.' : 'Runs are listed in the tab Runs.'}
      </p>
      <Button sends={sends} onAct={onRun} text="Run now" />
    </Empty>
  );
}
