import { useList } from '../../core/load.ts';
import type { ScreenProps } from '../../core/router.ts';
import { DeadLetterNote } from '../../parts/dead-letter-note.tsx';
import { type ItemsProps, ListScreen, linkColumn } from '../../parts/list-screen.tsx';
import { ScriptLink, useScripts } from '../../parts/script-choice.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { signalTexts, type Trigger, triggerType } from './trigger-data.ts';
import { TriggerForm } from './trigger-form.tsx';

const consumers = ['triggers', 'triggers of deleted classes and scripts'];

/** The triggers of an instance, and a form for another one. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  return (
    <ListScreen
      of={triggerType}
      instance={instance}
      list={useList<Trigger>(triggerType.path(instance))}
      about="A trigger runs a script each time an object is created, changed or deleted."
      note={<DeadLetterNote instance={instance} consumers={consumers} />}
      empty="There is no trigger yet."
      form={TriggerForm}
      table={TriggerTable}
    />
  );
}

function TriggerTable({ instance, items }: ItemsProps<Trigger>) {
  const scripts = useScripts(instance).data ?? [];
  const columns: TableColumn<Trigger>[] = [
    linkColumn(triggerType, instance, 'Trigger'),
    { name: 'Class', cell: (trigger) => trigger.class },
    { name: 'When an object was', cell: ({ signal }) => signalTexts[signal] },
    {
      name: 'Script',
      cell: ({ script }) => <ScriptLink instance={instance} scripts={scripts} id={script} />,
    },
    { name: 'Description', cell: ({ description }) => description },
  ];
  return <Table caption="Triggers" columns={columns} rows={items} keyOf={triggerType.keyOf} />;
}
