import type { Platform } from '../../ports/ports.ts';
import { groupEntity, userEntity } from '../../table/entities/users.ts';
import type { ObjectData } from '../../table/records/records.ts';
import { type FieldMessages, missingRecord, type SystemValues } from '../object-rules.ts';

/** Checks that the owner and the group that a body changes exist; reads nothing without such a change. */
export async function missingRecords(
  { platform, instance }: { readonly platform: Pick<Platform, 'store'>; readonly instance: number },
  { owner, group }: SystemValues,
  current: ObjectData | undefined,
): Promise<FieldMessages> {
  const named = [
    ...(typeof owner === 'number' && owner !== current?.owner
      ? [{ field: 'owner' as const, id: owner, key: userEntity.key(instance, owner) }]
      : []),
    ...(typeof group === 'number' && group !== current?.group
      ? [{ field: 'group' as const, id: group, key: groupEntity.key(instance, group) }]
      : []),
  ];
  if (named.length === 0) return {};
  const items = await platform.store.get(named.map(({ key }) => key));
  const missing = named.filter((_, at) => items[at] === undefined);
  return Object.assign({}, ...missing.map(({ field, id }) => missingRecord(field, id)));
}
