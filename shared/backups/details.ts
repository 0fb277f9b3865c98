import type { Stored } from '../store/store.ts';
import {
  channelEntity,
  classEntity,
  dataEndpointEntity,
  groupEntity,
  objectEntity,
  pushDeviceEntity,
  scheduleEntity,
  scriptEndpointEntity,
  scriptEntity,
  templateEntity,
  triggerEntity,
  userEntity,
} from '../table/entities.ts';
import type { BackupDetails } from '../table/records/backups.ts';

const maxNames = 15;

/** Kinds of contents as clients see them, by the kind of their items. */
const shownKinds: Readonly<Record<string, string>> = {
  [classEntity.kind]: 'class',
  [objectEntity.kind]: 'data_object',
  [userEntity.kind]: 'user',
  [groupEntity.kind]: 'group',
  [scriptEntity.kind]: 'script',
  [scriptEndpointEntity.kind]: 'script_endpoint',
  [dataEndpointEntity.kind]: 'data_endpoint',
  [templateEntity.kind]: 'template',
  [channelEntity.kind]: 'channel',
  [scheduleEntity.kind]: 'schedule',
  [triggerEntity.kind]: 'trigger',
  [pushDeviceEntity.kind]: 'device',
};

/** Adds items to the details of a backup. */
export function addDetails(details: BackupDetails, items: readonly Stored[]): BackupDetails {
  const sum: Record<string, BackupDetails[string]> = { ...details };
  for (const item of items) {
    const kind = shownKinds[item.kind];
    if (kind === undefined) continue;
    const { count, list = [] } = sum[kind] ?? { count: 0 };
    const isNamed = classEntity.matches(item);
    sum[kind] = isNamed
      ? { count: count + 1, list: [...list, item.data.name].slice(0, maxNames) }
      : { count: count + 1 };
  }
  return sum;
}

/** Returns details as clients see them: names of classes only, whatever version stored them. */
export function shownDetails(details: BackupDetails): BackupDetails {
  const kinds = Object.entries(details).map(([kind, { count, list }]) => [
    kind,
    kind === shownKinds[classEntity.kind] ? { count, list } : { count },
  ]);
  return Object.fromEntries(kinds) as BackupDetails; // of the same kinds
}
