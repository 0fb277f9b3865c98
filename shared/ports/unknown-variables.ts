import { nearestName } from '../values/text/nearest-name.ts';
import type { Variables } from './setting-variables.ts';

const prefix = 'GROUNDWORK_';
const testPrefix = 'GROUNDWORK_TEST_'; // of the tests of this project

/** Returns the variables of an environment whose names begin like those of Groundwork, without the known ones. */
export function unknownVariables(
  variables: Variables,
  known: readonly string[],
): readonly string[] {
  return Object.keys(variables).filter(
    (name) => name.startsWith(prefix) && !name.startsWith(testPrefix) && !known.includes(name),
  );
}

/** Returns a warning about a setting that does not exist, with the one that was probably meant. */
export function unknownSetting(name: string, known: readonly string[]): string {
  const short = (each: string) => each.replace(prefix, '');
  const nearest = nearestName(short(name), known.map(short));
  const meant = known.find((each) => short(each) === nearest);
  return `${name} is not a setting${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}
