import { at, below } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import type { ScreenProps } from '../../core/router.ts';
import { href, navigate } from '../../core/router.ts';
import { DangerButton } from '../../parts/danger-button.tsx';
import { confirm } from '../../parts/dialog.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { TraceListView } from '../../parts/trace-list.tsx';
import { type Trigger, triggerName } from './trigger-data.ts';
import { TriggerForm, type TriggerInput } from './trigger-form.tsx';

/** A trigger: its fields and its runs. */
export function Screen({ names }: ScreenProps) {
  const { instance = '', id = '' } = names;
  const path = at`instances/${instance}/triggers/${id}/`;
  const list = at`/i/${instance}/triggers`;
  const trigger = useLoad<Trigger>((signal) => send({ method: 'GET', path, signal }), [path]);
  const save = async (body: TriggerInput) => {
    trigger.setData(await send<Trigger>({ method: 'PATCH', path, body }));
    notify('Saved.');
  };
  const remove = async (data: Trigger) => {
    const isSure = await confirm({
      title: `Delete the trigger ${triggerName(data)}`,
      text: 'Its script stays; the list of its runs is gone.',
      verb: 'Delete the trigger',
    });
    if (!isSure) return;
    await send({ method: 'DELETE', path });
    notify('The trigger is deleted.');
    navigate(list);
  };
  return (
    <ScreenFrame
      title={triggerName(trigger.data ?? { id: Number(id), label: '' })}
      above={[{ text: 'Triggers', href: href(list) }]}
      actions={<DangerButton of={trigger} onAct={remove} />}
    >
      <LoadedData of={trigger}>
        {(data) => (
          <>
            <section class="card">
              <TriggerForm instance={instance} trigger={data} verb="Save" onSend={save} />
            </section>
            <TraceListView path={below(path)`traces/`} />
          </>
        )}
      </LoadedData>
    </ScreenFrame>
  );
}
