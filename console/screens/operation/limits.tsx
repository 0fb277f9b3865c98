import { at } from '../../../shared/values/text/request-path.ts';
import { formatNumber, formatSize } from '../../core/format.ts';
import { useRecord } from '../../core/load.ts';
import { LoadedTable } from '../../parts/loaded-table.tsx';

/** A limit of an instance; null: none, or not counted. */
interface Limit {
  readonly limit: number | null;
  readonly used: number | null;
}

const rows = [
  { name: 'classes', text: 'Classes' },
  { name: 'object_bytes', text: 'Objects stored', isSize: true },
  { name: 'file_bytes', text: 'Files stored', isSize: true },
  { name: 'trace_bytes', text: 'Script runs stored, 24 h', isSize: true },
  { name: 'schedules', text: 'Schedules' },
  { name: 'triggers', text: 'Triggers' },
  { name: 'trigger_runs_per_minute', text: 'Runs of triggers per minute' },
  { name: 'concurrent_runs', text: 'Runs at the same time' },
  { name: 'requests_per_second', text: 'Requests per second' },
] as const;
type Row = (typeof rows)[number] & Limit;

/** The limits of an instance, by their names in the interface. */
export type UsedLimits = Readonly<Record<(typeof rows)[number]['name'], Limit>>;

const nearShare = 0.9;

/** The limits of an instance, and what it has used of them. */
export function InstanceLimits({ instance }: { readonly instance: string }) {
  const limits = useRecord<UsedLimits>(at`instances/${instance}/limits/`);
  const { data } = limits;
  return (
    <LoadedTable
      of={{ ...limits, data: data && rows.map((row) => ({ ...row, ...data[row.name] })) }}
      caption="Limits"
      keyOf={({ name }) => name}
      columns={[
        {
          name: 'Limit',
          cell: (row: Row) => (
            <>
              {row.text} {isNear(row) && <span class="badge bad">near the limit</span>}
            </>
          ),
        },
        { name: 'Used', isNumber: true, cell: (row: Row) => amount(row, row.used, 'not counted') },
        { name: 'Of', isNumber: true, cell: (row: Row) => amount(row, row.limit, 'no limit') },
      ]}
    />
  );
}

/** Returns the names of limits of which little is left. */
export function namesOfNearLimits(limits: UsedLimits | undefined): readonly string[] {
  return rows.flatMap(({ name, text }) => (limits && isNear(limits[name]) ? [text] : []));
}

function isNear({ used, limit }: Limit): boolean {
  return used !== null && limit !== null && used >= limit * nearShare;
}

function amount(row: Row, value: number | null, none: string): string {
  if (value === null) return none;
  return 'isSize' in row ? formatSize(value) : formatNumber(value);
}
