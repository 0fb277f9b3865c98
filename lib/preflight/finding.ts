import { errorName } from '../../shared/values/caught.ts';

/** Result of a check before a deployment. A `warning` does not prevent the deployment; an `error` does. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'error';
  /** Name of the check. */
  readonly about: string;
  /** The state that was found, and what to do about it. */
  readonly text: string;
}

/** Returns the findings of a check; a request that AWS rejects, such as one without permission, is a warning. */
export async function findingsOf(
  about: string,
  check: () => Promise<readonly Omit<Finding, 'about'>[]>,
): Promise<readonly Finding[]> {
  try {
    return (await check()).map((found) => ({ ...found, about }));
  } catch (error) {
    const text = `could not be checked (${errorName(error)}): check it by hand, or allow the request`;
    return [{ level: 'warning', about, text }];
  }
}
