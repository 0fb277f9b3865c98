/**
 * Waits for all promises, also when some fail.
 *
 * @returns their values
 * @throws the error of the first one that failed, in their order
 */
export async function allSettled<const All extends readonly unknown[]>(
  all: All,
): Promise<{ -readonly [at in keyof All]: Awaited<All[at]> }> {
  await Promise.allSettled(all);
  return Promise.all(all);
}
