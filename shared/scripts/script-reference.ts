import { instanceOf } from '../core/resource/context-values.ts';
import { json } from '../core/resource/field.ts';
import type { Link } from '../core/resource/links.ts';
import type { Context } from '../core/routing/route.ts';
import type { Version } from '../core/routing/versions.ts';
import type { Stored } from '../store/store.ts';
import { scriptEntity } from '../table/entities/scripts.ts';
import type { FieldErrors } from '../values/errors/errors.ts';
import { messages } from '../values/errors/messages.ts';
import { recordId } from '../values/record-id.ts';

/** Data of a record that runs a script, and is deleted with it. */
interface OfScript {
  readonly script: number;
}

/** The field with the script of a record: version 1 had another word for scripts. */
export const scriptWord: Readonly<Record<Version, 'script' | 'codebox'>> = {
  'v1.1': 'script',
  v1: 'codebox',
};

/** Describes that field. The caller checks whether the script exists: {@link scriptErrors}. */
export function scriptField() {
  return json(recordId(), { required: true, shows: 'integer' });
}

/** Returns the link of a record to its script. */
export function scriptLink(version: Version): Link<{ readonly data: OfScript }> {
  const scripts = version === 'v1' ? 'codeboxes' : 'snippets/scripts';
  return {
    name: scriptWord[version],
    type: 'detail',
    to: ({ data }, base) => `${base}/${scripts}/${data.script}/`,
  };
}

/** Values of a body, with the script under the word of either version. */
type InEitherVersion = { readonly script?: number } | { readonly codebox?: number };

/** Values by the names of version 1.1. */
type InV11<Values> = Omit<Values, 'script' | 'codebox'> & { readonly script?: number };

/** Returns values by the names of version 1.1. */
export function toV11Names<Values extends InEitherVersion>(values: Values): InV11<Values> {
  if (!('codebox' in values)) return values;
  const { codebox, ...others } = values;
  return { ...others, ...(codebox !== undefined && { script: codebox }) } as InV11<Values>; // one key has another name
}

/** Returns the messages for an id that no script has. */
export async function scriptErrors(
  context: Context,
  values: InEitherVersion,
): Promise<FieldErrors> {
  const { script } = toV11Names(values);
  if (script === undefined) return {};
  const found = await scriptEntity.read(context.platform.store, instanceOf(context), script);
  return found === undefined ? { [scriptWord[context.version]]: [messages.noSuchPk(script)] } : {};
}

/** Removes records of deleted scripts: they are deleted together (docs/reference/scripts.md#deletion). */
export async function withScript<Item extends Pick<Stored<OfScript>, 'data'>>(
  context: Context,
  items: readonly Item[],
): Promise<readonly Item[]> {
  const ids = [...new Set(items.map(({ data }) => data.script))];
  const instance = instanceOf(context);
  const found = await scriptEntity.readAll(
    context.platform.store,
    ids.map((id) => [instance, id]),
  );
  const living = new Set(ids.filter((_, at) => found[at] !== undefined));
  return items.filter(({ data }) => living.has(data.script));
}
