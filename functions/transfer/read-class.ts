import { type Context, instanceOf } from '../../shared/core/family.ts';
import type { Stored } from '../../shared/store/store.ts';
import { classEntity } from '../../shared/table/entities/classes.ts';
import type { ClassData } from '../../shared/table/records/records.ts';
import { invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { pathParameters } from '../../shared/values/text/path-parameters.ts';

/**
 * Reads the class of objects that are exported or imported.
 *
 * @throws ApiError 400 when there is no class of this name
 */
export async function readClass(context: Context, name: string): Promise<Stored<ClassData>> {
  const { pattern } = pathParameters.class;
  const lower = name.toLowerCase();
  const { store } = context.platform;
  const found = pattern.test(lower)
    ? await classEntity.read(store, instanceOf(context), lower)
    : undefined;
  if (found !== undefined) return found;
  throw invalid({ class: [name === '' ? messages.required : messages.noSuchName(name)] });
}
