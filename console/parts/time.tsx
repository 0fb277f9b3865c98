const units = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** A point in time: how long ago, with the exact time as its title. */
export function Time({ value }: { readonly value: string | null | undefined }) {
  if (value === null || value === undefined) return <span class="soft">never</span>;
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return <>{value}</>;
  return (
    <time dateTime={value} title={exact.format(date)}>
      {distance(date.getTime() - Date.now())}
    </time>
  );
}

/** Returns a duration from now in words: `3 minutes ago`. */
function distance(ms: number): string {
  let amount = ms / 1000;
  for (const [unit, size] of units) {
    if (Math.abs(amount) < size) return relative.format(Math.round(amount), unit);
    amount /= size;
  }
  return relative.format(Math.round(amount), 'year');
}
