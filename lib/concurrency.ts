/** Settings that reserve concurrency for functions, with their shares of the quota of an account. */
const shares = {
  runConcurrency: 0.15,
  endpointConcurrency: 0.2,
  pollConcurrency: 0.1,
  backgroundConcurrency: 0.05,
} as const;

/** Executions reserved for functions, which are also their limits; undefined: they share those of the account. */
export type Reservations = Readonly<Record<keyof typeof shares, number | undefined>>;

const leastUnreserved = 100; // Lambda accepts no reservation beyond
/** Shares of a lower quota would be limits that a few callers reach. */
const leastQuota = 200;

/**
 * Computes reservations: those that are given, and shares of the account's quota for the others if it allows them. Half
 * of it stays unreserved: functions of scripts need one execution for each run, and requests need the rest.
 *
 * @param quota concurrent executions of the account; undefined: nothing is computed or checked
 * @throws Error when fewer than 100 executions would stay unreserved
 */
export function reserveConcurrency(
  quota: number | undefined,
  given: Partial<Reservations>,
): Reservations {
  const share = (name: keyof typeof shares) =>
    given[name] ??
    (quota === undefined || quota < leastQuota ? undefined : Math.floor(quota * shares[name]));
  const reservations: Reservations = {
    runConcurrency: share('runConcurrency'),
    endpointConcurrency: share('endpointConcurrency'),
    pollConcurrency: share('pollConcurrency'),
    backgroundConcurrency: share('backgroundConcurrency'),
  };
  const sum = Object.values(reservations).reduce<number>((total, count = 0) => total + count, 0);
  if (quota !== undefined && sum > 0 && sum > quota - leastUnreserved) {
    throw new Error(
      `-c concurrency=${quota} leaves fewer than 100 executions beside ${sum} reserved`,
    );
  }
  return reservations;
}
