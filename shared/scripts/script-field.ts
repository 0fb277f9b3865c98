import { json } from '../core/resource/field.ts';
import { instanceOf } from '../core/resource/place.ts';
import type { Context } from '../core/resource/route.ts';
import type { Version } from '../core/resource/versions.ts';
import { scriptEntity } from '../store/entities.ts';
import type { FieldErrors } from '../values/errors/errors.ts';
import { messages } from '../values/errors/messages.ts';
import { recordId } from '../values/record-id.ts';

/** The field with the script of something that runs it: version 1 had another word for scripts. */
export const scriptWord: Readonly<Record<Version, 'script' | 'codebox'>> = {
  'v1.1': 'script',
  v1: 'codebox',
};

/** The id of a script, which is checked with {@link scriptErrors}. */
export const scriptField = json(recordId(), { required: true, shows: 'integer' });

/** Returns the path of a script below the instance, in the words of a version. */
export function scriptPath(version: Version, script: number): string {
  return `/${version === 'v1' ? 'codeboxes' : 'snippets/scripts'}/${script}/`;
}

/** Returns the messages for an id that no script has; none when it is undefined. */
export async function scriptErrors(
  context: Context,
  script: number | undefined,
): Promise<FieldErrors> {
  if (script === undefined) return {};
  const found = await scriptEntity.read(context.platform.store, instanceOf(context), script);
  return found === undefined ? { [scriptWord[context.version]]: [messages.noSuchPk(script)] } : {};
}
