/** Returns a number of bytes in words: `1 byte`, `900 bytes`, `1.5 MB`; nothing for null. */
export function sizeText(bytes: number | null): string {
  if (bytes === null) return '';
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const format = {
    style: 'unit',
    unit: units[power],
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat('en', format).format(bytes / 1000 ** power);
}
