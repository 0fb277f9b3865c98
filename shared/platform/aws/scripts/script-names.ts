import { createHash } from 'node:crypto';

/** Which deployment functions belong to. */
export interface ScriptPlace {
  /** What the names of all its functions of scripts begin with: `groundwork-prod`. */
  readonly prefix: string;
  /** Name of the table. With it the names of two deployments differ, also of two of one prefix in turn. */
  readonly table: string;
}

/** A script of the deployment. */
export type ScriptId = {
  readonly instance: number;
  readonly script: number;
};

const hashDigits = 24; // with prefixes of up to 35 characters within the 64 of a name

/** Name of the function of a script. */
export function functionName(
  { prefix, table }: ScriptPlace,
  { instance, script }: ScriptId,
): string {
  const hash = createHash('sha256').update(`${table}/${instance}/${script}`).digest('hex');
  return `${prefix}-scr-${hash.slice(0, hashDigits)}`;
}

/** Tells whether a name is that of a script's function, of this deployment or one that bore its prefix before. */
export function isFunctionName({ prefix }: ScriptPlace, name: string): boolean {
  const start = `${prefix}-scr-`;
  return name.startsWith(start) && /^[0-9a-f]{24}$/.test(name.slice(start.length));
}

/** Text beside a function that says whose it is, for people and for `readDescription`. */
export function describeFunction({ instance, script }: ScriptId): string {
  return `Groundwork: script ${script} of instance ${instance}`;
}

/** Whose a function is; undefined when its text does not say. */
export function readDescription(text: string): ScriptId | undefined {
  const [, script, instance] = /^Groundwork: script (\d+) of instance (\d+)$/.exec(text) ?? [];
  if (script === undefined || instance === undefined) return undefined;
  return { instance: Number(instance), script: Number(script) };
}

/** Name of the function that runs scripts away from calls. */
export function runsFunctionName(prefix: string): string {
  return `${prefix}-script-runs`;
}
