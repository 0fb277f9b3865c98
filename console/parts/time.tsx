import { formatDistance, formatMoment } from '../core/format.ts';

/** A point in time: how long ago, with the exact time as its title. */
export function Time({ value }: { readonly value: string | null | undefined }) {
  if (value === null || value === undefined) return <span class="soft">never</span>;
  if (Number.isNaN(new Date(value).getTime())) return <>{value}</>;
  return (
    <time dateTime={value} title={formatMoment(value)}>
      {formatDistance(value)}
    </time>
  );
}
