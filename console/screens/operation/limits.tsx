import { at } from '../../../shared/values/text/request-path.ts';
import { formatNumber, formatSize } from '../../core/format.ts';
import { useRecord } from '../../core/load.ts';
import { LoadedData } from '../../parts/loaded.tsx';
import { Table } from '../../parts/table.tsx';

/** A limit of an instance; null: none, or not counted. */
interface Limit {
  readonly limit: number | null;
  readonly used: number | null;
}

const rows = [
  { name: 'classes', text: 'Classes' },
  { name: 'object_bytes', text: 'Data of objects', isSize: true },
  { name: 'file_bytes', text: 'Files', isSize: true },
  { name: 'trace_bytes', text: 'Traces in 24 hours', isSize: true },
  { name: 'schedules', text: 'Schedules' },
  { name: 'triggers', text: 'Triggers' },
  { name: 'trigger_runs_per_minute', text: 'Runs of triggers in a minute' },
  { name: 'concurrent_runs', text: 'Runs at the same time' },
  { name: 'requests_per_second', text: 'Requests in a second' },
] as const;
type Limits = Readonly<Record<(typeof rows)[number]['name'], Limit>>;

/** The limits of an instance, and what it has used of them. */
export function InstanceLimits({ instance }: { readonly instance: string }) {
  const limits = useRecord<Limits>(at`instances/${instance}/limits/`);
  return (
    <LoadedData of={limits}>
      {(all) => (
        <Table
          caption="Limits"
          rows={rows.map((row) => ({ ...row, ...all[row.name] }))}
          keyOf={({ name }) => name}
          columns={[
            { name: 'Limit of', cell: ({ text }) => text },
            { name: 'Used', isNumber: true, cell: (row) => amount(row, row.used, '–') },
            { name: 'At most', isNumber: true, cell: (row) => amount(row, row.limit, 'no limit') },
          ]}
        />
      )}
    </LoadedData>
  );
}

function amount(row: (typeof rows)[number], value: number | null, none: string): string {
  if (value === null) return none;
  return 'isSize' in row ? formatSize(value) : formatNumber(value);
}
