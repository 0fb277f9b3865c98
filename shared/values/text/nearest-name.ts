/** Returns the known name that a misspelt one was probably meant to be; undefined if none is similar. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const similar = known
    .map((each) => ({ each, distance: editDistance(name, each) }))
    .filter(({ each, distance }) => distance <= Math.max(name.length, each.length) * 0.4)
    .sort((a, b) => a.distance - b.distance);
  return similar[0]?.each;
}

/** Counts the characters to insert, delete or replace that make one text the other (Levenshtein). */
function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [row, character] of [...from].entries()) {
    const line = [row + 1];
    for (const [at, other] of [...to].entries()) {
      const [left = 0, over = 0, corner = 0] = [line[at], above[at + 1], above[at]];
      line.push(Math.min(left + 1, over + 1, corner + (character === other ? 0 : 1)));
    }
    above = line;
  }
  return above[to.length] ?? 0;
}
