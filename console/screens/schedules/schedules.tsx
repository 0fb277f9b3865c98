import { useList, useLoad } from '../../core/load.ts';
import type { ScreenProps } from '../../core/router.ts';
import { DeadLetterNote } from '../../parts/dead-letter-note.tsx';
import { type ItemsProps, ListScreen, linkColumn } from '../../parts/list-screen.tsx';
import { Problem } from '../../parts/loaded.tsx';
import { ScriptLink, useScripts } from '../../parts/script-choice.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { TraceStatusText } from '../../parts/trace-view.tsx';
import {
  readHistories,
  type Schedule,
  type ScheduleHistory,
  scheduleType,
  timesText,
} from './schedule-data.ts';
import { ScheduleForm } from './schedule-form.tsx';

/** The schedules of an instance, and a form for another one. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  return (
    <ListScreen
      of={scheduleType}
      instance={instance}
      list={useList<Schedule>(scheduleType.path(instance))}
      about="A schedule runs a script again and again: after a fixed time, or at times of the clock and the calendar."
      note={<DeadLetterNote instance={instance} consumers={['clear-schedules']} />}
      empty="There is no schedule yet."
      form={ScheduleForm}
      table={ScheduleTable}
    />
  );
}

function ScheduleTable({ instance, items }: ItemsProps<Schedule>) {
  const scripts = useScripts(instance).data ?? [];
  const { data: histories, problem } = useLoad(
    () => readHistories(instance, items),
    [instance, items.map(({ id }) => id).join()],
  );
  const columns: TableColumn<Schedule>[] = [
    linkColumn(scheduleType, instance, 'Schedule'),
    { name: 'Runs', cell: timesText },
    {
      name: 'Script',
      cell: ({ script }) => <ScriptLink instance={instance} scripts={scripts} id={script} />,
    },
    { name: 'Next run', cell: ({ scheduled_next }) => <Time value={scheduled_next} /> },
    { name: 'Last run', cell: ({ id }) => <LastRun history={histories?.get(id)} /> },
    { name: 'Missed', cell: ({ id }) => histories?.get(id)?.missed ?? '…', isNumber: true },
  ];
  return (
    <>
      {problem !== undefined && <Problem message={problem.message} />}
      <Table caption="Schedules" columns={columns} rows={items} keyOf={scheduleType.keyOf} />
    </>
  );
}

function LastRun({ history }: { readonly history: ScheduleHistory | undefined }) {
  if (history === undefined) return <>…</>;
  if (history.lastRun === undefined) return <span class="soft">none in 24 hours</span>;
  const { status, executed_at } = history.lastRun;
  return (
    <>
      <TraceStatusText status={status} /> {executed_at !== null && <Time value={executed_at} />}
    </>
  );
}
