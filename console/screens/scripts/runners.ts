import {
  at,
  below,
  joinPaths,
  type RequestPath,
} from '../../../shared/values/text/request-path.ts';
import { readAll } from '../../core/api.ts';
import { locationNames } from '../../core/place-names.ts';
import { currentLocation } from '../../core/router.ts';

/** Kinds of what runs scripts, with their lists below the instance, in the interface as in the console. */
export const runnerKinds = [
  { kind: 'Endpoint', path: at`endpoints/scripts/` },
  { kind: 'Trigger', path: at`triggers/` },
  { kind: 'Schedule', path: at`schedules/` },
] as const;

/** What runs a script. */
interface Runner {
  readonly kind: (typeof runnerKinds)[number]['kind'];
  /** Below the instance: `triggers/3`. */
  readonly place: RequestPath;
  readonly name: string;
  /** Its class, of a trigger. */
  readonly class?: string;
}

interface RunnerRecord extends Pick<Runner, 'class'> {
  readonly id?: number;
  readonly name?: string;
  readonly label?: string;
  readonly script: number;
}

/** Reads what runs a script. */
export async function readRunners(instance: string, script: number): Promise<readonly Runner[]> {
  const lists = runnerKinds.map(async ({ kind, path }) => {
    const list = joinPaths(at`instances/${instance}/`, path);
    const all = await readAll<RunnerRecord>(list, { fields: 'id,name,label,script,class' });
    return all
      .filter((each) => each.script === script)
      .map(({ id, name, label, ...rest }): Runner => {
        const key = name ?? String(id);
        return { ...rest, kind, place: below(path)`${key}`, name: label || key };
      });
  });
  return (await Promise.all(lists)).flat();
}

/** Returns the place, below the instance, of what was chosen; undefined for the script itself, and for no such place. */
export function chosenRunner(): RequestPath | undefined {
  const place = currentLocation.value.query.get('by') ?? '';
  const path = runnerKinds.find((each) => place.startsWith(each.path))?.path;
  const key = place.slice(path?.length);
  return path !== undefined && locationNames.name.test(key) ? below(path)`${key}` : undefined;
}

/** Returns the list of runs of what was chosen; undefined for the script itself. */
export function chosenRuns(instance: string): RequestPath | undefined {
  const runner = chosenRunner();
  return runner && joinPaths(at`instances/${instance}/`, below(runner)`/traces/`);
}
