import { useEffect } from 'preact/hooks';
import type { RequestPath } from '../../shared/values/text/request-path.ts';
import { useRepeat } from '../core/load.ts';
import { locationNames } from '../core/place-names.ts';
import { currentLocation, setQuery } from '../core/router.ts';
import { showRun, type TraceEntry } from '../core/traces.ts';
import { Button } from './button.tsx';
import { LoadedTable } from './loaded-table.tsx';
import { usePages } from './paged.tsx';
import { Time } from './time.tsx';
import { Duration, RunView, TraceStatusText } from './trace-view.tsx';

interface TraceListProps {
  /** Path of the list, from `instances/` on. */
  readonly path: RequestPath;
  /** The tab around the list is its title. */
  readonly isTab?: boolean;
}

const pageSize = 10;
const lookMs = 3_000;

/** The runs of a script or endpoint, the newest first, and the chosen one. */
export function TraceListView({ path, isTab = false }: TraceListProps) {
  const query = { page_size: pageSize, fields: 'id,status,executed_at,duration,links' };
  const traces = usePages<TraceEntry>(path, query);
  const chosen = chosenRun();
  useEffect(() => {
    if (chosen !== undefined) traces.reload(); // it may be a new one
  }, [chosen]);
  useRepeat(() => !traces.isLoading && traces.reload(), lookMs, traces.problem === undefined);
  return (
    <section class={chosen === undefined ? undefined : 'runs'} aria-labelledby="runs">
      <h2 id="runs" class={isTab ? 'unseen' : undefined}>
        Runs
      </h2>
      {chosen !== undefined && (
        <section class="card">
          <RunView key={chosen} list={path} id={chosen} onEnd={traces.reload}>
            <Button
              class="icon"
              aria-label="Close the run"
              onAct={() => setQuery({ run: undefined })}
              icon="close"
            />
          </RunView>
        </section>
      )}
      <div>
        <LoadedTable
          of={traces}
          caption="Runs, the newest first"
          columns={columns}
          keyOf={({ id }) => id}
          empty={<p class="soft">No runs in the last 24 hours.</p>}
          pageTexts={['Newer', 'Older']}
        />
      </div>
    </section>
  );
}

/** Returns the id of the run in the query of the place, which anybody may have written. */
export function chosenRun(): string | undefined {
  const text = currentLocation.value.query.get('run');
  return text !== null && locationNames.id.test(text) ? text : undefined;
}

const columns = [
  {
    name: 'Run',
    cell: ({ id }: TraceEntry) => (
      <Button
        class="link"
        aria-current={String(id) === chosenRun() ? 'true' : undefined}
        onAct={() => showRun(id)}
        text={`Run ${id}`}
      />
    ),
  },
  { name: 'Status', cell: TraceStatusText },
  {
    name: 'Started',
    cell: ({ executed_at }: TraceEntry) =>
      executed_at === null ? <span class="soft">not yet</span> : <Time value={executed_at} />,
  },
  {
    name: 'Duration',
    isNumber: true,
    cell: ({ duration }: TraceEntry) => <Duration ms={duration} />,
  },
];
