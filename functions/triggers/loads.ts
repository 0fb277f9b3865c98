import { type Context, type LoadedOf, recordAt } from '../../shared/core/family.ts';
import { lookup } from '../../shared/core/resource/loads/loads.ts';
import { classEntity } from '../../shared/table/entities/classes.ts';
import { scriptEntity, triggerEntity } from '../../shared/table/entities/scripts.ts';
import type { TriggerData } from '../../shared/table/records/triggers.ts';
import { parentNotFound } from '../../shared/values/errors/errors.ts';

/** The trigger that a path names. */
export const triggerOfPath = recordAt(triggerEntity, ['instance', '{id}']);

const trigger = lookup(triggerOfPath, ({ class: name, script }) => ({ name, script }));

/** Loads of routes below a trigger: the trigger, and what it is deleted with. */
export const triggerLoads = {
  trigger,
  class: recordAt(classEntity, ['instance', trigger], (instance, { name }) =>
    classEntity.key(instance, name),
  ),
  script: recordAt(scriptEntity, ['instance', trigger], (instance, { script }) =>
    scriptEntity.key(instance, script),
  ),
};

/** Returns the trigger in the path. Throws ApiError 404. */
export function livingTrigger({ loaded }: Context<LoadedOf<typeof triggerLoads>>): TriggerData {
  const { trigger: found, class: classRecord, script } = loaded;
  const isLiving = classRecord?.data.number === found?.data.classNumber && script !== undefined;
  if (found === undefined || !isLiving) throw parentNotFound('Trigger');
  return found.data;
}
