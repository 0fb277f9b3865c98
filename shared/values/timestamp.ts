let lastMs = Number.NaN;
let lastText = '';

/**
 * Writes a point in time as clients read it: UTC, exactly six fraction digits, `Z`
 * (docs/reference/responses.md#timestamps).
 *
 * @param micros microseconds since 1970
 */
export function timestamp(micros: number): string {
  const ms = Math.floor(micros / 1000);
  if (ms !== lastMs) lastText = new Date(ms).toISOString().slice(0, -1); // shared by all timestamps of one millisecond
  lastMs = ms;
  return `${lastText}${String(micros - ms * 1000).padStart(3, '0')}Z`;
}
