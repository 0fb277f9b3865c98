const surrogate = /[\ud800-\udfff]/;

/** Compares keys as LMDB does: by the bytes of UTF-8, so by code points. */
export function compareKeys(one: string, other: string): number {
  if (one === other) return 0;
  if (surrogate.test(one) || surrogate.test(other)) return compareCodePoints(one, other);
  return one < other ? -1 : 1;
}

/** Compares texts in which UTF-16 may have another order: its surrogates are below U+E000, their characters above. */
function compareCodePoints(one: string, other: string): number {
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
