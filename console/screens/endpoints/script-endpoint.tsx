import { below } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { notify } from '../../core/notices.ts';
import { itemPlace } from '../../core/record-type.ts';
import { Button } from '../../parts/button.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { CheckField, DescriptionField } from '../../parts/form.tsx';
import { defineItem, type ItemPartProps } from '../../parts/item-screen.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScriptField, useScripts } from '../../parts/script-choice.tsx';
import { Tabs, tabsInQuery } from '../../parts/tabs.tsx';
import { chosenRun, TraceListView } from '../../parts/trace-list.tsx';
import { EndpointCall } from './endpoint-call.tsx';
import { type ScriptEndpoint, scriptEndpointType } from './endpoint-data.ts';
import { publicLabel } from './new-endpoint.tsx';

/** Calls and edits a script endpoint. */
export const Screen = defineItem<ScriptEndpoint>({
  type: scriptEndpointType,
  isNamed: true,
  remove: ({ name }) => ({
    text: 'Its addresses stop working immediately. The script is kept.',
    done: `${name} deleted.`,
  }),
  editor: Editor,
});

function Editor(props: ItemPartProps<ScriptEndpoint>) {
  const { instance, path } = props.of;
  const { current, tabs } = tabsInQuery(
    itemPlace(scriptEndpointType, instance, props.item),
    ['Call', 'Runs', 'Settings'],
    { first: chosenRun() === undefined ? 'Call' : 'Runs' },
  );
  return (
    <>
      <Tabs label={`Parts of ${props.item.name}`} tabs={tabs} />
      <div hidden={current !== 'Call'}>
        <EndpointCall {...props} />
      </div>
      {current === 'Runs' && <TraceListView path={below(path)`traces/`} isTab />}
      <div hidden={current !== 'Settings'}>
        <Settings {...props} />
      </div>
    </>
  );
}

function Settings({ of, item: endpoint }: ItemPartProps<ScriptEndpoint>) {
  const { instance, path, saves, save, setData } = of;
  const resets = { method: 'POST', path: below(path)`reset_link/` } as const;
  const scripts = useScripts(instance);
  const reset = async () => {
    const isSure = await confirm({
      title: 'Reset the public link?',
      text: 'The endpoint gets a new link. The current one stops working immediately.',
      verb: 'Reset link',
    });
    if (!isSure) return;
    setData(await send<ScriptEndpoint>(resets));
    notify('Public link reset.');
  };
  const { description, script, public: isPublic, raw = false } = endpoint;
  return (
    <LoadedData of={scripts}>
      {(all) => (
        <DraftForm
          start={{ description, script: String(script), public: isPublic, raw }}
          verb="Save"
          sends={saves}
          onSend={(values) => save({ ...values, script: Number(values.script) })}
        >
          {({ text, check }) => (
            <>
              <ScriptField instance={instance} scripts={all} {...text('script')} />
              <DescriptionField {...text('description')} />
              <CheckField label={publicLabel} {...check('public')} />
              <CheckField
                label="Pass the exact bytes of the body, for example to check a signature"
                {...check('raw')}
              />
              <div class="actions">
                <Button sends={resets} onAct={reset} text="Reset public link…" />
              </div>
            </>
          )}
        </DraftForm>
      )}
    </LoadedData>
  );
}
