/**
 * Which test files run outside of `npm test`, and why. `.ci/run` is the first tier, `.ci/run --full` both
 * (docs/internals/testing.md#tiers).
 */

/** First tier, in `test:soak --project=load`: what limits times, or does as much as it can in some time. */
export const load = [
  'test/soak/{attacks,background-crash,server-end,shares,shifted-clock,trigger-crash}.test.ts',
  'test/api/soak.test.ts',
  'test/local/push/faults.test.ts',
  'test/scripts/{fairness,mixed-traffic}.test.ts',
];

/**
 * Second tier, in `npm run test:slow`: takes more than five seconds, for what quicker tests prove too. Those are named
 * above each line.
 */
export const slow = [
  // test/store/lmdb-crash, the city's kill -9, trigger-crash, test/api/usage
  'test/api/{durability,script-crash}.test.ts',
  'test/local/usage.test.ts',
  // test/store/item-cache, test/objects/object-values, test/api/transfer
  'test/api/{equal-versions,kept-values}.test.ts',
  // test/api/push-send
  'test/local/push/crash.test.ts',
  // test/aws/{refusals,background,runs}, test/jobs/parked-changes
  'test/aws/{time-limits,transient-faults,waiting-runs}.test.ts',
  // test/local/{connections,arriving-bodies}, test/api/trigger-order
  'test/local/{few-descriptors,slow-clients,triggers}.test.ts',
  // bench:ratios
  'test/local/hidden-classes.test.ts',
  // test/scripts/{run-folders,pool}
  'test/scripts/{folder-faults,kept-connections}.test.ts',
  // test/aws/{remove-plan,data-guard,prepare-table}, test/local/rotate
  'test/aws/{remove,restore,rotate}.test.ts',
  // test/commands/{transfer,laws}, test/api/suspension
  'test/commands/{import-again,import-project,suspension}.test.ts',
  // `npm start` in .ci/run, test/docs/{tour,project}
  'test/docs/{container,session/session}.test.ts',
  // test/api/{dead-letters,smoke}, test/jobs/letter-item
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
  'test/pages/{browsing,foreign-pages,hostile,own-origin,quickstart,reference,user-accounts,views}.test.ts',
  'test/console/*.test.ts',
  'test/local/full-disk.test.ts',
];

/** `test:roles`: families whose operations files of other names serve. */
export const servedByOthers: readonly string[] = [
  'channel-polls',
  'instances',
  'push',
  'schema',
  'usage',
  'user-accounts',
];
