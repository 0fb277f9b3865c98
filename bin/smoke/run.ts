import { messageOf } from '../../shared/values/caught.ts';
import { dataSteps } from './data-steps.ts';
import { functionStep } from './function-step.ts';
import { moreSteps } from './more-steps.ts';
import type { SmokeWorld, Step } from './world.ts';

/** Deletes the instance with everything in it. */
const removal: Step = {
  name: 'removal',
  run: async ({ send, instance, name, keys }) => {
    const key = keys.account;
    const expect = [204, 404];
    await send({ method: 'DELETE', key, path: instance, confirmedName: name, expect });
    await send({ key, path: instance, expect: [404] });
    return undefined;
  },
};

/** All steps except for the removal, in order. */
export const allSteps: readonly Step[] = [...dataSteps, ...moreSteps, functionStep];

/**
 * Runs steps against a server and removes what they made, except for an account. A failed step does not prevent others
 * unless they need it.
 *
 * @param print receives a line per step, without a line feed
 * @returns whether all steps have passed
 */
export async function runSmoke(
  world: SmokeWorld,
  print: (line: string) => void,
  steps = allSteps,
): Promise<boolean> {
  let isWell = true;
  const run = async (step: Step) => {
    const startedMs = performance.now();
    const result = await step.run(world).then(
      (remark) => ({ isDone: true, remark }),
      (error: unknown) => ({ isDone: false, remark: messageOf(error) }),
    );
    const ms = `${Math.round(performance.now() - startedMs)} ms`.padStart(9);
    const end = result.remark === undefined ? '' : `: ${result.remark}`;
    print(`${result.isDone ? 'ok   ' : 'error'} ${ms}  ${step.name}${end}`);
    isWell &&= result.isDone;
    return result.isDone;
  };
  for (const step of steps) {
    if (!(await run(step)) && step.isNeeded) break;
  }
  if (world.keys.account !== undefined) await run(removal);
  return isWell;
}
