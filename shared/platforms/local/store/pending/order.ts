/** A UTF-16 unit of a character above U+FFFF, or one that is above those and whose character is below. */
const high = /[\ud800-\uffff]/;

/** Checks whether UTF-16 orders a key as UTF-8 does, whatever it is compared with. */
export function isPlain(key: string): boolean {
  return !high.test(key);
}

/** Compares keys of which one is plain. */
export function comparePlain(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Compares keys as LMDB does: by the bytes of UTF-8, so by code points. */
export function compareKeys(one: string, other: string): number {
  if (isPlain(one) || isPlain(other)) return comparePlain(one, other);
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return rankOf(a) - rankOf(b);
  }
  return one.length - other.length;
}

function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
