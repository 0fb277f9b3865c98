import { compiledClass } from '../classes/compiled-classes.ts';
import { type CompiledClass, showValues } from '../classes/rules/compiled-class.ts';
import { cachedBodies } from '../core/http/response-cache.ts';
import { instanceBase, type Link, linksOf } from '../core/resource/links.ts';
import type { Context } from '../core/resource/route.ts';
import type { ClassData, ObjectData } from '../store/records/records.ts';
import type { Stored } from '../store/store.ts';
import type { Json, JsonObject } from '../values/json/json.ts';

/** Formats an object for responses, without its links (docs/reference/objects.md#record). */
export function showObject(compiled: CompiledClass, data: ObjectData): Record<string, Json> {
  const shown: Record<string, Json> = {
    id: data.id,
    created_at: data.created_at,
    updated_at: data.updated_at,
    revision: data.revision,
    owner: data.owner,
    owner_permissions: data.owner_permissions,
    group: data.group,
    group_permissions: data.group_permissions,
    other_permissions: data.other_permissions,
    channel: data.channel,
    channel_room: data.channel_room,
  };
  return showValues(compiled, data.values, shown);
}

/** Returns an object with its links, for responses of other paths than its own; shared, never changed. */
export function wholeObject(
  context: Context,
  place: Stored<ClassData>,
  view: { readonly data: ObjectData },
): JsonObject {
  const form = compiledClass(context.caches, place);
  const list = `${instanceBase(context)}/classes/${place.data.name}/objects/`;
  const make = () => {
    const shown = showObject(form, view.data);
    shown.links = linksOf(context, objectLinks, `${list}${view.data.id}/`, view);
    return shown;
  };
  return cachedBodies({ form, list }, { of: ({ data }: typeof view) => data, make })(view);
}

/** Links of an object: to itself, its owner, group and channel. */
export const objectLinks: readonly Link<{ readonly data: ObjectData }>[] = [
  { name: 'self', type: 'detail', to: '' },
  {
    name: 'owner',
    type: 'detail',
    to: ({ data }, base) => (data.owner === null ? undefined : `${base}/users/${data.owner}/`),
  },
  {
    name: 'group',
    type: 'detail',
    to: ({ data }, base) => (data.group === null ? undefined : `${base}/groups/${data.group}/`),
  },
  {
    name: 'channel',
    type: 'detail',
    to: ({ data }, base) =>
      data.channel === null ? undefined : `${base}/channels/${data.channel}/`,
  },
];
