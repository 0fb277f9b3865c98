import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll, send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import type { ScreenProps } from '../../core/router.ts';
import { href, navigate } from '../../core/router.ts';
import { DeadLetterNote } from '../../parts/dead-letter-note.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty, LoadedData, Problem } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { ScriptLink, useScripts } from '../../parts/script-choice.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { TraceStatusText } from '../../parts/trace-view.tsx';
import {
  readHistories,
  type Schedule,
  type ScheduleHistory,
  scheduleName,
  timesText,
} from './schedule-data.ts';
import { ScheduleForm, type ScheduleInput } from './schedule-form.tsx';

/** The schedules of an instance, and a form for another one. */
export function Screen({ names }: ScreenProps) {
  const { instance = '' } = names;
  const [isAdding, setAdding] = useState(false);
  const path = at`instances/${instance}/schedules/`;
  const schedules = useLoad(() => readAll<Schedule>(path), [path]);
  const add = (
    <button type="button" class="main" onClick={() => setAdding(true)}>
      New schedule
    </button>
  );
  const create = async (body: ScheduleInput) => {
    const { id } = await send<Schedule>({ method: 'POST', path, body });
    navigate(at`/i/${instance}/schedules/${id}`);
  };
  return (
    <ScreenFrame
      title="Schedules"
      about="A schedule runs a script again and again: after a fixed time, or at times of the clock and the calendar."
      actions={add}
    >
      <DeadLetterNote instance={instance} consumers={['clear-schedules']} />
      <LoadedData of={schedules}>
        {(all) =>
          all.length === 0 ? (
            <Empty>
              <p>There is no schedule yet.</p>
              {add}
            </Empty>
          ) : (
            <ScheduleTable instance={instance} schedules={all} />
          )
        }
      </LoadedData>
      {isAdding && (
        <Dialog title="New schedule" onClose={() => setAdding(false)}>
          <ScheduleForm
            instance={instance}
            verb="Create the schedule"
            onSend={create}
            onCancel={() => setAdding(false)}
          />
        </Dialog>
      )}
    </ScreenFrame>
  );
}

interface ScheduleTableProps {
  readonly instance: string;
  readonly schedules: readonly Schedule[];
}

function ScheduleTable({ instance, schedules }: ScheduleTableProps) {
  const scripts = useScripts(instance).data ?? [];
  const { data: histories, problem } = useLoad(
    () => readHistories(instance, schedules),
    [instance, schedules.map(({ id }) => id).join()],
  );
  const columns: TableColumn<Schedule>[] = [
    {
      name: 'Schedule',
      cell: (schedule) => (
        <a href={href(at`/i/${instance}/schedules/${schedule.id}`)}>{scheduleName(schedule)}</a>
      ),
    },
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
      {problem !== undefined && <Problem problem={problem} />}
      <Table caption="Schedules" columns={columns} rows={schedules} keyOf={({ id }) => id} />
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
