import { at, below } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { useLoad, useRepeat } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import type { ScreenProps } from '../../core/router.ts';
import { href, navigate } from '../../core/router.ts';
import { DangerButton } from '../../parts/danger-button.tsx';
import { confirm } from '../../parts/dialog.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { TraceListView } from '../../parts/trace-list.tsx';
import { clockText, type Schedule, scheduleName, timesText } from './schedule-data.ts';
import { ScheduleForm, type ScheduleInput } from './schedule-form.tsx';

const lookMs = 10_000;

/** A schedule: its times, its fields and its runs. */
export function Screen({ names }: ScreenProps) {
  const { instance = '', id = '' } = names;
  const path = at`instances/${instance}/schedules/${id}/`;
  const list = at`/i/${instance}/schedules`;
  const schedule = useLoad<Schedule>((signal) => send({ method: 'GET', path, signal }), [path]);
  useRepeat(() => schedule.isLoading || schedule.reload(), lookMs, schedule.problem === undefined);
  const save = async (body: ScheduleInput) => {
    schedule.setData(await send<Schedule>({ method: 'PATCH', path, body }));
    notify('Saved.');
  };
  const remove = async (data: Schedule) => {
    const isSure = await confirm({
      title: `Delete the schedule ${scheduleName(data)}`,
      text: 'Its script stays; the list of its runs is gone.',
      verb: 'Delete the schedule',
    });
    if (!isSure) return;
    await send({ method: 'DELETE', path });
    notify('The schedule is deleted.');
    navigate(list);
  };
  return (
    <ScreenFrame
      title={scheduleName(schedule.data ?? { id: Number(id), label: '' })}
      above={[{ text: 'Schedules', href: href(list) }]}
      actions={<DangerButton of={schedule} onAct={remove} />}
    >
      <LoadedData of={schedule}>
        {(data) => (
          <>
            <TimesFacts schedule={data} />
            <section class="card">
              <ScheduleForm instance={instance} schedule={data} verb="Save" onSend={save} />
            </section>
            <TraceListView path={below(path)`traces/`} />
          </>
        )}
      </LoadedData>
    </ScreenFrame>
  );
}

function TimesFacts({ schedule }: { readonly schedule: Schedule }) {
  const { scheduled_next, timezone, missed = 0 } = schedule;
  return (
    <dl class="facts">
      <dt>Runs</dt>
      <dd>{timesText(schedule)}</dd>
      <dt>Next run</dt>
      <dd>
        {scheduled_next === null ? (
          'never'
        ) : (
          <>
            {clockText(scheduled_next, timezone)}, <Time value={scheduled_next} />
          </>
        )}
      </dd>
      <dt>Missed</dt>
      <dd>
        {missed}{' '}
        <span class="soft">
          {missed === 1 ? 'time' : 'times'}: the last run had not ended, or no server ran
        </span>
      </dd>
    </dl>
  );
}
