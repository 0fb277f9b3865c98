/** Where a deployment runs. */
export interface Surroundings {
  readonly hasTerminal: boolean;
  /** Whether the variable `CI` is set. */
  readonly isCi: boolean;
}

/**
 * Returns what to add to the arguments of `cdk deploy`: it asks before it changes permissions, unless nobody can
 * respond. An option that is given is kept.
 */
export function approvalArguments(
  given: readonly string[],
  { hasTerminal, isCi }: Surroundings,
): readonly string[] {
  const isGiven = given.some((each) => /^--require-?approval(=|$)/i.test(each));
  return isGiven || (hasTerminal && !isCi) ? [] : ['--require-approval', 'never'];
}
