/** Checks whether this is a run of `npm run test:soak`, which takes generated tables as a whole. */
export const isSoak = process.env.TEST_SOAK === 'true'; // set by its configuration alone

let calls = 0;

/**
 * Returns every `step`th row of a generated table, in a soak run all rows. Each call begins with another row, so that
 * every row is in the samples of some calls.
 */
export function sampleOf<Row>(rows: readonly Row[], step: number): readonly Row[] {
  calls += 1;
  return isSoak ? rows : rows.filter((_, index) => index % step === calls % step);
}

/** Returns the row whose `turn` it is, in a soak run all rows. */
export function oneOf<Row>(rows: readonly Row[], turn: number): readonly Row[] {
  const index = turn % rows.length;
  return isSoak ? rows : rows.slice(index, index + 1);
}
