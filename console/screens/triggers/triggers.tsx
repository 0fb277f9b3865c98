import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll, send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import type { ScreenProps } from '../../core/router.ts';
import { href, navigate } from '../../core/router.ts';
import { DeadLetterNote } from '../../parts/dead-letter-note.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { ScriptLink, useScripts } from '../../parts/script-choice.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { signalTexts, type Trigger, triggerName } from './trigger-data.ts';
import { TriggerForm, type TriggerInput } from './trigger-form.tsx';

/** The triggers of an instance, and a form for another one. */
export function Screen({ names }: ScreenProps) {
  const { instance = '' } = names;
  const [isAdding, setAdding] = useState(false);
  const path = at`instances/${instance}/triggers/`;
  const triggers = useLoad(() => readAll<Trigger>(path), [path]);
  const add = (
    <button type="button" class="main" onClick={() => setAdding(true)}>
      New trigger
    </button>
  );
  const create = async (body: TriggerInput) => {
    const { id } = await send<Trigger>({ method: 'POST', path, body });
    navigate(at`/i/${instance}/triggers/${id}`);
  };
  return (
    <ScreenFrame
      title="Triggers"
      about="A trigger runs a script each time an object is created, changed or deleted."
      actions={add}
    >
      <DeadLetterNote
        instance={instance}
        consumers={['triggers', 'triggers of deleted classes and scripts']}
      />
      <LoadedData of={triggers}>
        {(all) =>
          all.length === 0 ? (
            <Empty>
              <p>There is no trigger yet.</p>
              {add}
            </Empty>
          ) : (
            <TriggerTable instance={instance} triggers={all} />
          )
        }
      </LoadedData>
      {isAdding && (
        <Dialog title="New trigger" onClose={() => setAdding(false)}>
          <TriggerForm
            instance={instance}
            verb="Create the trigger"
            onSend={create}
            onCancel={() => setAdding(false)}
          />
        </Dialog>
      )}
    </ScreenFrame>
  );
}

interface TriggerTableProps {
  readonly instance: string;
  readonly triggers: readonly Trigger[];
}

function TriggerTable({ instance, triggers }: TriggerTableProps) {
  const scripts = useScripts(instance).data ?? [];
  const columns: TableColumn<Trigger>[] = [
    {
      name: 'Trigger',
      cell: (trigger) => (
        <a href={href(at`/i/${instance}/triggers/${trigger.id}`)}>{triggerName(trigger)}</a>
      ),
    },
    { name: 'Class', cell: (trigger) => trigger.class },
    { name: 'When an object was', cell: ({ signal }) => signalTexts[signal] },
    {
      name: 'Script',
      cell: ({ script }) => <ScriptLink instance={instance} scripts={scripts} id={script} />,
    },
    { name: 'Description', cell: ({ description }) => description },
  ];
  return <Table caption="Triggers" columns={columns} rows={triggers} keyOf={({ id }) => id} />;
}
