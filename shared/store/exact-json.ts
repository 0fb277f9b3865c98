/** Writes JSON that parses to the same value: `JSON.stringify` alone writes -0 as 0. */
export function writeJson(value: object): string {
  return holdsNegativeZero(value) ? writeExactly(value) : JSON.stringify(value);
}

/** Returns the bytes of a value's JSON text in UTF-8. */
export function jsonBytes(value: object): number {
  return Buffer.byteLength(writeJson(value));
}

function holdsNegativeZero(value: unknown): boolean {
  if (typeof value === 'number') return Object.is(value, -0);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsNegativeZero);
  const members = value as Record<string, unknown>; // an object that is no list
  for (const name in members) {
    if (holdsNegativeZero(members[name])) return true;
  }
  return false;
}

function writeExactly(value: unknown): string {
  if (Object.is(value, -0)) return '-0';
  if (Array.isArray(value)) return `[${value.map(writeExactly).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${writeExactly(member)}`);
  return `{${members.join(',')}}`;
}
