import type { Platform } from '../ports/ports.ts';
import { readTogether } from '../store/entity.ts';
import type { Stored } from '../store/store.ts';
import { classEntity } from '../table/entities/classes.ts';
import { scriptEntity } from '../table/entities/scripts.ts';
import type { ClassData } from '../table/records/records.ts';
import type { TriggerData } from '../table/records/triggers.ts';

/** The class of a trigger, if it exists, and whether the trigger does: it is deleted with its class or its script. */
interface Ground {
  readonly class: Stored<ClassData> | undefined;
  readonly isLiving: boolean;
}

/** Reads the classes and scripts of triggers in one step; same order. */
export async function readGround(
  { store }: Pick<Platform, 'store'>,
  instance: number,
  triggers: readonly TriggerData[],
): Promise<readonly Ground[]> {
  const { classes, scripts } = await readTogether(store, {
    classes: triggers.map((trigger) => classEntity.at(instance, trigger.class)),
    scripts: triggers.map(({ script }) => scriptEntity.at(instance, script)),
  });
  return triggers.map(({ classNumber }, at) => {
    const found = classes[at];
    const own = found?.data.number === classNumber ? found : undefined;
    return { class: own, isLiving: own !== undefined && scripts[at] !== undefined };
  });
}

/** Removes triggers whose class or script was deleted (docs/reference/triggers.md#deletion). */
export async function livingTriggers<Trigger extends Pick<Stored<TriggerData>, 'data'>>(
  platform: Pick<Platform, 'store'>,
  instance: number,
  triggers: readonly Trigger[],
): Promise<readonly Trigger[]> {
  const ground = await readGround(
    platform,
    instance,
    triggers.map(({ data }) => data),
  );
  return triggers.filter((_, at) => ground[at]?.isLiving);
}
