import { below } from '../../../shared/values/text/request-path.ts';
import { useLoad, useRepeat } from '../../core/load.ts';
import { DeadLetterNote } from '../../parts/dead-letter-note.tsx';
import { defineScreen } from '../../parts/define-screen.tsx';
import { DraftForm, type ItemFormProps } from '../../parts/draft-form.tsx';
import { Facts } from '../../parts/facts.tsx';
import { DescriptionField, TextField } from '../../parts/form.tsx';
import type { ItemPartProps } from '../../parts/item-screen.tsx';
import { type ItemsProps, linkColumn } from '../../parts/list-screen.tsx';
import { LoadedScriptField, ScriptLink, useScripts } from '../../parts/script-choice.tsx';
import type { TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { TraceListView } from '../../parts/trace-list.tsx';
import { TraceStatusText } from '../../parts/trace-view.tsx';
import {
  clockText,
  readHistories,
  type Schedule,
  type ScheduleHistory,
  scheduleType,
  timesText,
} from './schedule-data.ts';
import { fromTimes, TimesFields, toTimes } from './schedule-times.tsx';

const lookMs = 10_000;

/** The schedules of an instance. */
export const Screen = defineScreen<Schedule>({
  type: scheduleType,
  about: 'A schedule runs a script at a fixed interval or at set times.',
  empty: 'No schedules yet. Create one to run a script regularly.',
  note: ({ instance }) => <DeadLetterNote instance={instance} consumers={['clear-schedules']} />,
  columns: useColumns,
  form: ScheduleForm,
  remove: () => 'Its runs are deleted. The script is not.',
  before: TimesFacts,
  after: ({ of }) => <TraceListView path={below(of.path)`traces/`} />,
});

function useColumns({ instance, items }: ItemsProps<Schedule>): readonly TableColumn<Schedule>[] {
  const scripts = useScripts(instance).data ?? [];
  const ids = items.map(({ id }) => id).join();
  const { data, problem } = useLoad(() => readHistories(instance, items), [instance, ids]);
  const unknown = problem === undefined ? '…' : 'unknown';
  return [
    linkColumn(scheduleType, instance, 'Schedule'),
    { name: 'Runs', cell: timesText },
    { name: 'Script', cell: ({ script }) => <ScriptLink {...{ instance, scripts, id: script }} /> },
    { name: 'Next run', cell: ({ scheduled_next }) => <Time value={scheduled_next} /> },
    { name: 'Last run', cell: ({ id }) => lastRunOf(data?.get(id)) ?? unknown },
    { name: 'Missed', cell: ({ id }) => data?.get(id)?.missed ?? unknown, isNumber: true },
  ];
}

function lastRunOf(history: ScheduleHistory | undefined) {
  if (history === undefined) return undefined;
  if (history.lastRun === undefined) return <span class="soft">None in 24 hours</span>;
  const { status, executed_at } = history.lastRun;
  return (
    <>
      <TraceStatusText status={status} /> {executed_at !== null && <Time value={executed_at} />}
    </>
  );
}

function ScheduleForm({ instance, item, sends, onSend, onCancel }: ItemFormProps<Schedule>) {
  const start = {
    label: item?.label ?? '',
    description: item?.description ?? '',
    script: String(item?.script ?? ''),
    ...toTimes(item),
  };
  return (
    <DraftForm
      start={start}
      verb={item === undefined ? 'Create schedule' : 'Save'}
      sends={sends}
      onSend={({ label, description, script, ...times }) =>
        onSend({ label, description, script: Number(script), ...fromTimes(times) })
      }
      onCancel={onCancel}
    >
      {(draft) => (
        <>
          <TextField label="Label" {...draft.text('label')} />
          <LoadedScriptField instance={instance} {...draft.text('script')} />
          <TimesFields draft={draft} />
          <DescriptionField {...draft.text('description')} />
        </>
      )}
    </DraftForm>
  );
}

function TimesFacts({ of, item }: ItemPartProps<Schedule>) {
  useRepeat(() => of.isLoading || of.reload(), lookMs, of.problem === undefined);
  const { scheduled_next, timezone, missed = 0 } = item;
  const next = scheduled_next !== null && (
    <>
      {clockText(scheduled_next, timezone)}, <Time value={scheduled_next} />
    </>
  );
  const missedRuns = (
    <>
      {missed} <span class="soft">(the last run had not ended, or no server was running)</span>
    </>
  );
  return (
    <Facts
      rows={[
        ['Runs', timesText(item)],
        ['Next run', next || 'Never'],
        ['Missed runs', missedRuns],
      ]}
    />
  );
}
