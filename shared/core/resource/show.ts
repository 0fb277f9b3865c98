import { isJsonObject, type Json } from '../../values/json/json.ts';
import type { Fields } from '../routing/forms.ts';
import type { Context } from '../routing/route.ts';

/** Returns the response for one item, as a new object; links are added to it. */
export type Show<View, Loaded extends object = object> = (
  context: Context<Loaded>,
  view: View,
) => Record<string, Json>;

/** Names of the fields that responses contain. */
export type ShownName<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly writeOnly: true } ? never : Name;
}[keyof F];

interface DataView {
  readonly data: object;
}

/** Values that are not in the item's data under the name of their field; undefined: the response omits the field. */
type Others<F extends Fields, View extends DataView> = {
  readonly [Name in ShownName<F> as Name extends keyof View['data'] ? never : Name]:
    | Json
    | undefined;
} & { readonly [Name in ShownName<F>]?: Json | undefined };

/**
 * Shows all fields except write-only ones, in their order: from the item's data where `others` has no value for them.
 *
 * @example show: showFields(fields, (_, { text }) => ({ api_key: text }))
 */
export function showFields<F extends Fields, View extends DataView, Loaded extends object = object>(
  fields: F,
  others: (context: Context<Loaded>, view: View) => Others<F, View>,
): Show<View, Loaded> {
  const names = shownNames(fields);
  return (context, view) => pick(names, view.data, others(context, view));
}

/**
 * Shows all fields except write-only ones from the item's data.
 *
 * @throws Error for a view without data: its resource needs a `show`
 */
export function showStored<View extends object>(fields: Fields): Show<View> {
  const names = shownNames(fields);
  return (_, view) => {
    if (!('data' in view && isJsonObject(view.data))) throw new Error('a view has no data to show');
    return pick(names, view.data, noOthers);
  };
}

const noOthers = {};

function shownNames(fields: Fields): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name]?.writeOnly !== true);
}

function pick(names: readonly string[], data: object, others: object): Record<string, Json> {
  const shown: Record<string, Json> = {};
  for (const name of names) {
    const value: unknown = Reflect.get(Object.hasOwn(others, name) ? others : data, name);
    if (value !== undefined) shown[name] = value as Json; // stored as JSON, or typed so
  }
  return shown;
}
