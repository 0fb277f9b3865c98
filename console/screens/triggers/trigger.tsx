import { below } from '../../../shared/values/text/request-path.ts';
import type { ScreenProps } from '../../core/router.ts';
import { ItemScreen, useItem } from '../../parts/item-screen.tsx';
import { TraceListView } from '../../parts/trace-list.tsx';
import { type Trigger, triggerType } from './trigger-data.ts';
import { TriggerForm } from './trigger-form.tsx';

/** A trigger: its fields and its runs. */
export function Screen({ names: { instance = '', id = '' } }: ScreenProps) {
  const trigger = useItem<Trigger>(triggerType, instance, id);
  return (
    <ItemScreen
      of={trigger}
      unloadedTitle={`Trigger ${id}`}
      deletion={() => ({ text: 'Its script stays; the list of its runs is gone.' })}
    >
      {(data) => (
        <>
          <section class="card">
            <TriggerForm instance={instance} item={data} onSend={trigger.save} />
          </section>
          <TraceListView path={below(trigger.path)`traces/`} />
        </>
      )}
    </ItemScreen>
  );
}
