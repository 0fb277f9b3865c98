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
} from '../store/entities.ts';
import type { BackupDetails } from '../store/records/backups.ts';
import type { Stored } from '../store/store.ts';

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
  const sum: Record<string, { count: number; list: readonly string[] }> = { ...details };
  for (const item of items) {
    const kind = shownKinds[item.kind];
    if (kind === undefined) continue;
    const { count, list } = sum[kind] ?? { count: 0, list: [] };
    const names = list.length < maxNames ? [...list, nameOf(item.data)] : list;
    sum[kind] = { count: count + 1, list: names };
  }
  return sum;
}

function nameOf(data: object): string {
  const named: Partial<Record<'name' | 'username' | 'label' | 'registration_id' | 'id', unknown>> =
    data;
  const { name, username, label, registration_id, id } = named;
  return String(name || username || label || registration_id || id);
}
