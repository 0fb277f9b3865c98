import { formatDistance, formatMoment } from '../core/format.ts';

interface TimeProps {
  readonly value: string | null | undefined;
  /** Shows the time to the second; all its digits are the title. */
  readonly isExact?: boolean;
}

/** A point in time: how long ago, with the exact time as its title. */
export function Time({ value, isExact = false }: TimeProps) {
  if (value === null || value === undefined) return <span class="soft">never</span>;
  if (Number.isNaN(new Date(value).getTime())) return <>{value}</>;
  return (
    <time dateTime={value} title={isExact ? value : formatMoment(value)}>
      {isExact ? formatMoment(value) : formatDistance(value)}
    </time>
  );
}
