/**
 * Which test files run outside of `npm test`, and why. `.ci/run` is the first tier, `.ci/run --full` both
 * (docs/internals/testing.md#tiers).
 */

/** First tier, in `test:soak --project=load`: what limits times, or does as much as it can in some time. */
export const load = [
  'test/soak/{attacks,background-crash,server-end,shares,shifted-clock,trigger-crash}.test.ts',
  'test/api/soak.test.ts',
  'test/scripts/{fairness,mixed-traffic}.test.ts',
];

/** Second tier, in `npm run test:slow`: takes more than five seconds, for what a quicker test proves too. */
export const slow = [
  // kills of processes: test/store/lmdb-crash, the city
  'test/api/{durability,script-crash}.test.ts',
  'test/local/usage.test.ts',
  // much at once, or for long: the cases of single requests, runs and changes
  'test/api/{equal-versions,kept-values}.test.ts',
  'test/aws/{time-limits,transient-faults,waiting-runs}.test.ts',
  'test/local/{few-descriptors,hidden-classes,slow-clients,triggers}.test.ts',
  'test/scripts/{folder-faults,kept-connections}.test.ts',
  // programs as processes: the modules and operations that they call
  'test/aws/{remove,restore,rotate}.test.ts',
  'test/commands/{import-again,import-project,suspension}.test.ts',
  'test/docs/{container,session/session}.test.ts',
  'test/local/{dead-letters,smoke}.test.ts',
];

/** Run by `npm test` with a sample of their rows (test/support/sample.ts), and whole in the second tier. */
export const sampled = [
  'test/api/{isolation,laws,query-model,query-reads,suspension}.test.ts',
  'test/aws/preflight.test.ts',
  'test/commands/scripts.test.ts',
  'test/local/proxies.test.ts',
  'test/scripts/{cases,other-user,python-cases,run-folders}.test.ts',
];

/** Second tier, with the sampled files in `test:soak --project=tables`; `.ci/run` takes some of them. */
export const tables = [
  'test/soak/*.test.ts',
  'test/pages/{browsing,foreign-pages,quickstart,views}.test.ts',
  'test/console/*.test.ts',
  'test/local/full-disk.test.ts',
];
