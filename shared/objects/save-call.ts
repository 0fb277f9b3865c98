import type { ClassContext } from '../classes/class-record.ts';
import { compiledClass } from '../classes/compiled-classes.ts';
import type { CompiledClass } from '../classes/rules/compiled-class.ts';
import { instanceOf } from '../core/resource/context-values.ts';
import type { Context } from '../core/routing/route.ts';
import type { Stored } from '../store/store.ts';
import type { ClassData } from '../table/records/records.ts';

type Caller = Pick<Context, 'platform' | 'caches' | 'actor'>;

/** Properties of the request that a save uses, and the class of the object. */
export interface SaveCall extends Caller {
  readonly instance: number;
  readonly class: Stored<ClassData>;
  readonly classNumber: number;
  readonly compiled: CompiledClass;
}

/** Returns the properties of a request that a save in its class uses. */
export function saveCall(context: ClassContext): SaveCall {
  return saveCallIn(context, instanceOf(context), context.loaded.class);
}

/** Returns the properties of a request that a save in a class uses. */
export function saveCallIn(
  { platform, caches, actor }: Caller,
  instance: number,
  classRecord: Stored<ClassData>,
): SaveCall {
  const compiled = compiledClass(caches, classRecord);
  const classNumber = classRecord.data.number;
  return { platform, caches, actor, instance, class: classRecord, classNumber, compiled };
}
