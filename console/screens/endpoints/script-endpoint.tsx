import { useState } from 'preact/hooks';
import { below } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { notify } from '../../core/notices.ts';
import type { ScreenProps } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { CheckField, DescriptionField } from '../../parts/form.tsx';
import { ItemScreen, type LoadedItem, useItem } from '../../parts/item-screen.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScriptField, useScripts } from '../../parts/script-choice.tsx';
import { TraceListView } from '../../parts/trace-list.tsx';
import { EndpointCall } from './endpoint-call.tsx';
import { type ScriptEndpoint, scriptEndpointType } from './endpoint-data.ts';

/** Calls and edits a script endpoint. */
export function Screen({ names: { instance = '', name: key = '' } }: ScreenProps) {
  const endpoint = useItem<ScriptEndpoint>(scriptEndpointType, instance, key);
  const { path } = endpoint;
  const [calls, setCalls] = useState(0);
  return (
    <ItemScreen
      of={endpoint}
      isNamed
      deleteText="Delete the endpoint…"
      deletion={({ name }) => ({
        text: `The addresses of ${name} stop working at once. Its script stays.`,
        done: `${name} is deleted.`,
      })}
    >
      {(data) => (
        <>
          <EndpointCall endpoint={data} path={path} onCall={() => setCalls((last) => last + 1)} />
          <TraceListView path={below(path)`traces/`} latest={calls} />
          <Card title="Settings">
            <Settings of={endpoint} endpoint={data} />
          </Card>
        </>
      )}
    </ItemScreen>
  );
}

interface SettingsProps {
  readonly of: LoadedItem<ScriptEndpoint>;
  readonly endpoint: ScriptEndpoint;
}

function Settings({ of: { instance, path, save, setData }, endpoint }: SettingsProps) {
  const scripts = useScripts(instance);
  const reset = async () => {
    const isSure = await confirm({
      title: 'Reset the public link',
      text: 'The endpoint gets another link. The present one stops working at once.',
      verb: 'Reset the link',
    });
    if (!isSure) return;
    setData(await send<ScriptEndpoint>({ method: 'POST', path: below(path)`reset_link/` }));
    notify('The endpoint has another public link.');
  };
  const { description, script, public: isPublic, raw = false } = endpoint;
  return (
    <LoadedData of={scripts}>
      {(all) => (
        <DraftForm
          start={{ description, script: String(script), public: isPublic, raw }}
          verb="Save the settings"
          onSend={(values) => save({ ...values, script: Number(values.script) })}
        >
          {({ text, check }) => (
            <>
              <ScriptField instance={instance} scripts={all} {...text('script')} />
              <DescriptionField {...text('description')} />
              <CheckField label="Anyone with its public link may call it" {...check('public')} />
              <CheckField
                label="Runs get the exact bytes of the body, to check a signature"
                {...check('raw')}
              />
              <Button onAct={reset} text="Reset the public link…" />
            </>
          )}
        </DraftForm>
      )}
    </LoadedData>
  );
}
