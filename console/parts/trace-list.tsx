import { useEffect } from 'preact/hooks';
import { below, type RequestPath } from '../../shared/values/text/request-path.ts';
import { send } from '../core/api.ts';
import { useRepeat } from '../core/load.ts';
import { locationNames } from '../core/place-names.ts';
import { currentLocation, setQuery } from '../core/router.ts';
import type { Trace, TraceEntry } from '../core/traces.ts';
import { Button } from './button.tsx';
import { LoadedTable } from './loaded-table.tsx';
import { usePages } from './paged.tsx';
import { Time } from './time.tsx';
import { Duration, TraceStatusText, TraceView } from './trace-view.tsx';

interface TraceListProps {
  /** Path of the list, from `instances/` on. */
  readonly path: RequestPath;
  /** Id of a run that was just called: it is shown in the list at once. */
  readonly latest?: number | undefined;
}

const pageSize = 10;
const lookMs = 3_000;

/** The runs of a script or endpoint, the newest first; the chosen one is in the query of the place. */
export function TraceListView({ path, latest }: TraceListProps) {
  const query = { page_size: pageSize, fields: 'id,status,executed_at,duration,links' };
  const traces = usePages<TraceEntry>(path, query);
  useEffect(() => {
    if (latest !== undefined) traces.reload();
  }, [latest]);
  const look = () => !traces.isLoading && traces.reload();
  useRepeat(look, lookMs, traces.problem === undefined);
  const chosen = runOf(currentLocation.value.query.get('run'));
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">Runs</h2>
      <LoadedTable
        of={traces}
        caption="Runs, the newest first"
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p class="soft">None in the last 24 hours.</p>}
        pageTexts={['Newer', 'Older']}
      />
      {chosen !== undefined && (
        <ChosenTrace key={chosen} list={path} id={chosen} onChange={traces.reload} />
      )}
    </section>
  );
}

/** Returns the id of a run in the query of the place, which anybody may have written. */
function runOf(text: string | null): string | undefined {
  return text !== null && locationNames.id.test(text) ? text : undefined;
}

const columns = [
  {
    name: 'Run',
    cell: ({ id }: TraceEntry) => (
      <Button class="link" onAct={() => setQuery({ run: String(id) })} text={`Run ${id}`} />
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

interface ChosenTraceProps {
  readonly list: RequestPath;
  readonly id: string;
  /** Called when a run was added, and when the shown one has ended. */
  readonly onChange: () => void;
}

function ChosenTrace({ list, id, onChange }: ChosenTraceProps) {
  const path = below(list)`${id}/`;
  const again = async () => {
    const { id: next } = await send<Trace>({ method: 'POST', path: below(path)`retry/` });
    setQuery({ run: String(next) });
    onChange();
  };
  return (
    <section class="card" aria-labelledby="chosen-run">
      <div class="dialog-heading">
        <h2 id="chosen-run">Run {id}</h2>
        <Button
          class="icon"
          aria-label="Close the run"
          onAct={() => setQuery({ run: undefined })}
          icon="close"
        />
      </div>
      <TraceView
        path={path}
        onEnd={onChange}
        actions={<Button onAct={again} text="Run again with these arguments" />}
      />
    </section>
  );
}
