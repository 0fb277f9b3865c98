import { createHash } from 'node:crypto';

/** The deployment that functions belong to. */
export interface ScriptDeployment {
  /** Prefix of the names of all its script functions: `groundwork-prod`. */
  readonly prefix: string;
  /** Id of the deployment: with it the names of two deployments of one prefix differ, of which one follows the other. */
  readonly deployment: string;
}

/** A script of the deployment. */
export type ScriptId = {
  readonly instance: number;
  readonly script: number;
};

const hashDigits = 24; // with prefixes of up to 35 characters within the 64 of a name

/** Returns the name of a script's function. */
export function functionName(
  { prefix, deployment }: ScriptDeployment,
  { instance, script }: ScriptId,
): string {
  const hash = createHash('sha256').update(`${deployment}/${instance}/${script}`).digest('hex');
  return `${prefix}-scr-${hash.slice(0, hashDigits)}`;
}

/** Returns whether a name is of a script function, of this deployment or an earlier one with its prefix. */
export function isFunctionName(
  { prefix }: Pick<ScriptDeployment, 'prefix'>,
  name: string,
): boolean {
  const start = `${prefix}-scr-`;
  return name.startsWith(start) && /^[0-9a-f]{24}$/.test(name.slice(start.length));
}

/** Returns a function's description, which names its script, for people and for `readDescription`. */
export function describeFunction({ instance, script }: ScriptId): string {
  return `Groundwork: script ${script} of instance ${instance}`;
}

/** Returns the script of a description; undefined when it names none. */
export function readDescription(text: string): ScriptId | undefined {
  const [, script, instance] = /^Groundwork: script (\d+) of instance (\d+)$/.exec(text) ?? [];
  if (script === undefined || instance === undefined) return undefined;
  return { instance: Number(instance), script: Number(script) };
}
