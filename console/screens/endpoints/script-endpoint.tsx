import { useState } from 'preact/hooks';
import { at, below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { type Loading, useLoad } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import type { ScreenProps } from '../../core/router.ts';
import { href, leaveTo } from '../../core/router.ts';
import { DangerButton } from '../../parts/danger-button.tsx';
import { DescriptionField } from '../../parts/description-field.tsx';
import { confirm } from '../../parts/dialog.tsx';
import { CheckField, Form } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { RenameDialog } from '../../parts/rename-dialog.tsx';
import { ScriptField, type ScriptName, useScripts } from '../../parts/script-choice.tsx';
import { TraceListView } from '../../parts/trace-list.tsx';
import { useUnsaved } from '../../parts/unsaved.ts';
import { EndpointCall } from './endpoint-call.tsx';
import { endpointPath, type ScriptEndpoint } from './endpoint-data.ts';

/** Calls and edits a script endpoint. */
export function Screen({ names }: ScreenProps) {
  const { instance = '', name = '' } = names;
  const path = endpointPath(instance, name);
  const [calls, setCalls] = useState(0);
  const endpoint = useLoad<ScriptEndpoint>(
    (signal) => send({ method: 'GET', path, signal }),
    [path],
  );
  const scripts = useScripts(instance);
  const [isRenaming, setRenaming] = useState(false);
  const list = at`/i/${instance}/endpoints`;
  return (
    <ScreenFrame
      title={name}
      above={[{ text: 'Endpoints', href: href(list) }]}
      actions={
        endpoint.data !== undefined && (
          <>
            <button type="button" onClick={() => setRenaming(true)}>
              Rename…
            </button>
            <DangerButton
              of={endpoint}
              verb="Delete the endpoint…"
              onAct={(data) => remove(instance, data.name)}
            />
          </>
        )
      }
    >
      <LoadedData of={endpoint}>
        {(data) => (
          <>
            <EndpointCall endpoint={data} path={path} onCall={() => setCalls((last) => last + 1)} />
            <TraceListView path={below(path)`traces/`} latest={calls} />
            <section class="card">
              <h2>Settings</h2>
              <LoadedData of={scripts}>
                {(all) => (
                  <Settings
                    {...{ instance, path, scripts: all }}
                    endpoint={data}
                    loading={endpoint}
                  />
                )}
              </LoadedData>
            </section>
          </>
        )}
      </LoadedData>
      {isRenaming && (
        <RenameDialog
          thing="endpoint"
          path={path}
          list={below(list)`/scripts`}
          name={name}
          onClose={() => setRenaming(false)}
        />
      )}
    </ScreenFrame>
  );
}

interface SettingsProps {
  readonly instance: string;
  readonly path: RequestPath;
  readonly endpoint: ScriptEndpoint;
  readonly scripts: readonly ScriptName[];
  readonly loading: Loading<ScriptEndpoint>;
}

function Settings({ instance, path, endpoint, scripts, loading }: SettingsProps) {
  const [draft, setDraft] = useState(endpoint);
  const { description, script } = draft;
  useUnsaved(
    description !== endpoint.description ||
      script !== endpoint.script ||
      draft.public !== endpoint.public,
  );
  const save = async () => {
    const body = { description, script, public: draft.public };
    loading.setData(await send<ScriptEndpoint>({ method: 'PATCH', path, body }));
    notify('Saved.');
  };
  const reset = async () => {
    const isSure = await confirm({
      title: 'Reset the public link',
      text: 'The endpoint gets another link. The present one stops working at once.',
      verb: 'Reset the link',
    });
    if (!isSure) return;
    loading.setData(await send<ScriptEndpoint>({ method: 'POST', path: below(path)`reset_link/` }));
    notify('The endpoint has another public link.');
  };
  return (
    <Form verb="Save the settings" onSend={save}>
      {(errors) => (
        <>
          <ScriptField
            instance={instance}
            scripts={scripts}
            value={String(script)}
            onValue={(id) => setDraft({ ...draft, script: Number(id) })}
            error={errors.script}
          />
          <DescriptionField
            value={description}
            onValue={(text) => setDraft({ ...draft, description: text })}
            error={errors.description}
          />
          <CheckField
            label="Anyone with its public link may call it"
            isChecked={draft.public}
            onChecked={(isPublic) => setDraft({ ...draft, public: isPublic })}
            error={errors.public}
          />
          <button type="button" onClick={() => attempt(reset)}>
            Reset the public link…
          </button>
        </>
      )}
    </Form>
  );
}

async function remove(instance: string, name: string): Promise<void> {
  const isSure = await confirm({
    title: `Delete the endpoint ${name}`,
    text: `The addresses of ${name} stop working at once. Its script stays.`,
    verb: 'Delete the endpoint',
  });
  if (!isSure) return;
  await send({ method: 'DELETE', path: endpointPath(instance, name) });
  notify(`${name} is deleted.`);
  leaveTo(at`/i/${instance}/endpoints`);
}
