import { below } from '../../../shared/values/text/request-path.ts';
import { useRepeat } from '../../core/load.ts';
import type { ScreenProps } from '../../core/router.ts';
import { ItemScreen, useItem } from '../../parts/item-screen.tsx';
import { Time } from '../../parts/time.tsx';
import { TraceListView } from '../../parts/trace-list.tsx';
import { clockText, type Schedule, scheduleType, timesText } from './schedule-data.ts';
import { ScheduleForm } from './schedule-form.tsx';

const lookMs = 10_000;

/** A schedule: its times, its fields and its runs. */
export function Screen({ names: { instance = '', id = '' } }: ScreenProps) {
  const schedule = useItem<Schedule>(scheduleType, instance, id);
  useRepeat(() => schedule.isLoading || schedule.reload(), lookMs, schedule.problem === undefined);
  return (
    <ItemScreen
      of={schedule}
      unloadedTitle={`Schedule ${id}`}
      deletion={() => ({ text: 'Its script stays; the list of its runs is gone.' })}
    >
      {(data) => (
        <>
          <TimesFacts schedule={data} />
          <section class="card">
            <ScheduleForm instance={instance} item={data} onSend={schedule.save} />
          </section>
          <TraceListView path={below(schedule.path)`traces/`} />
        </>
      )}
    </ItemScreen>
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
