import { useMemo, useRef, useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { formatDuration } from '../../core/format.ts';
import { useLoad, useRepeat } from '../../core/load.ts';
import { currentLocation, type ScreenProps, setQuery } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/form.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { type Paged, usePages } from '../../parts/paged.tsx';
import type { TableColumn } from '../../parts/table.tsx';
import { tabsInQuery } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { type LoggedRequest, logPath, readLog, shortPath, shortRoute } from './request-data.ts';
import { CallerLink, RequestDialog, StatusBadge } from './request-dialog.tsx';

const pageSize = 50;
const lookMs = 5_000;
const mostLooks = 120;
const hourMs = 3_600_000;

/** The requests of an instance in the last 24 hours, errors first. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const { query } = currentLocation.value;
  const path = logPath(instance);
  const hasErrors = useLoad(
    async (signal) => {
      const some = { errors: true, page_size: 1 };
      return (await readLog({ method: 'GET', path, query: some, signal })).objects.length > 0;
    },
    [path],
  );
  const { current, tabs } = tabsInQuery(at`/i/${instance}/requests`, ['Errors', 'All'], {
    parameter: 'show',
    first: query.has('request_id') || !hasErrors.data ? 'All' : 'Errors',
  });
  return (
    <ScreenFrame title="Requests" tabs={tabs}>
      <LoadedData of={hasErrors}>
        {() => <RequestList key={current} instance={instance} isAll={current === 'All'} />}
      </LoadedData>
      {query.get('request') && (
        <RequestDialog instance={instance} id={query.get('request') ?? ''} />
      )}
    </ScreenFrame>
  );
}

interface RequestListProps {
  readonly instance: string;
  readonly isAll: boolean;
}

function RequestList({ instance, isAll }: RequestListProps) {
  const filter = useFilter();
  const query = { ...filter, page_size: pageSize, errors: isAll ? undefined : true };
  const requests = usePages<LoggedRequest>(logPath(instance), query, readLog);
  // each look at this screen would add a row
  const isShown = ({ route }: LoggedRequest) =>
    filter.route !== undefined || shortRoute(route) !== '/request_log/';
  return (
    <>
      <div class="row filters">
        <Filters requests={requests} />
        <Refresh requests={requests} />
      </div>
      <div class="dense">
        <LoadedTable
          of={{ ...requests, data: requests.data?.filter(isShown) }}
          caption="Requests, the newest first"
          keyOf={({ request_id: id, time }) => `${id} ${time}`}
          columns={columnsOf(instance)}
          empty={<Empty>{isAll ? 'No request' : 'No error'} of the last 24 hours matches.</Empty>}
          pageTexts={['Newer', 'Older']}
        />
      </div>
    </>
  );
}

/** Returns the filter in the query of the place, as the interface takes it. */
function useFilter() {
  const { query } = currentLocation.value;
  const hours = Number(choices[2][2].find(([value]) => value === query.get('hours'))?.[0] ?? 0);
  const since = useMemo(
    () => new Date(Date.now() - hours * hourMs).toISOString().replace('Z', '000Z'),
    [hours],
  );
  return {
    status: query.get('status') ?? undefined,
    method: query.get('method') ?? undefined,
    route: query.get('route') ?? undefined,
    request_id: query.get('request_id') ?? undefined,
    since: hours > 0 ? since : undefined,
  };
}

const any = ['', 'Any'] as const;
const same = (text: string) => [text, text] as const;
const choices = [
  ['Status', 'status', [any, ...['2xx', '3xx', '4xx', '5xx'].map(same)]],
  ['Method', 'method', [any, ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map(same)]],
  ['Time', 'hours', [['', 'Last 24 hours'] as const, ['6', 'Last 6 hours'], ['1', 'Last hour']]],
] as const;

function Filters({ requests }: { readonly requests: Paged<LoggedRequest> }) {
  const { query } = currentLocation.value;
  const [id, setId] = useState(query.get('request_id') ?? '');
  const seen = useRef(new Set([query.get('route')].filter((each) => each !== null))).current;
  for (const { route } of requests.data ?? []) seen.add(route);
  const routes = [...seen].sort().map((each) => [each, shortRoute(each)] as const);
  return (
    <>
      {[...choices, ['Route', 'route', [any, ...routes]] as const].map(([label, name, options]) => (
        <SelectField
          key={name}
          label={label}
          options={options}
          value={query.get(name) ?? ''}
          onValue={(value) => setQuery({ [name]: value })}
        />
      ))}
      <TextField
        label="Request id"
        input={{ type: 'search', autocomplete: 'off', spellcheck: false }}
        value={id}
        onValue={(typed) => {
          setId(typed);
          const whole = typed.trim();
          if (whole === '' || whole.length >= 20) setQuery({ request_id: whole });
        }}
      />
    </>
  );
}

function Refresh({ requests: { isLoading, pages } }: { readonly requests: Paged<LoggedRequest> }) {
  const [looks, setLooks] = useState(0); // that are left
  const look = (left: number) => {
    if (isLoading) return;
    setLooks(left);
    pages.open(null);
  };
  useRepeat(() => look(looks - 1), lookMs, looks > 0);
  return (
    <div class="actions">
      <Button onAct={() => pages.open(null)} text="Refresh" />
      <Button
        aria-pressed={looks > 0}
        onAct={() => setLooks(looks > 0 ? 0 : mostLooks)}
        text="Live"
      />
    </div>
  );
}

function columnsOf(instance: string): readonly TableColumn<LoggedRequest>[] {
  return [
    {
      name: 'Request',
      cell: (request) => (
        <Button
          class="link mono"
          onAct={() => setQuery({ request: request.request_id })}
          text={`${request.method} ${shortPath(request)}`}
        />
      ),
    },
    { name: 'Status', cell: StatusBadge },
    { name: 'Time', cell: ({ time }) => <Time value={time} /> },
    { name: 'Duration', isNumber: true, cell: ({ duration_ms: ms }) => formatDuration(ms) },
    { name: 'Caller', cell: (request) => <CallerLink instance={instance} request={request} /> },
  ];
}
