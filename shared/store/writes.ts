import type { Check, Delete, IndexKeys, Key, Put, Stored, WriteCondition } from './store.ts';

/** Returns a create: a put of an item that must be absent. */
export function createItem<Data extends object>(
  entity: { readonly kind: string; readonly data?: Data },
  key: Key,
  data: Data,
  indexes?: IndexKeys,
): Put {
  return { action: 'put', key, kind: entity.kind, data, indexes, condition: absent };
}

const absent = { kind: 'absent' } as const;

/** Returns an update: a put over an item as read, which fails when it has changed or was deleted. */
export function updateItem<Data extends object>(
  current: Stored<Data>,
  data: Data,
  indexes?: IndexKeys,
): Put {
  const { key, kind, version } = current;
  return { action: 'put', key, kind, data, indexes, condition: { kind: 'version', version } };
}

/** Returns the write of an item that was read: an update, or a create if it was absent. */
export function createOrUpdate<Data extends object>(
  entity: { readonly kind: string; readonly data?: Data },
  { key, current }: { readonly key: Key; readonly current: Stored<Data> | undefined },
  data: Data,
): Put {
  return current === undefined ? createItem(entity, key, data) : updateItem(current, data);
}

/** Returns an unconditional put: for items whose change by another writer cannot be lost by it. */
export function putItem<Data extends object>(
  entity: { readonly kind: string; readonly data?: Data },
  key: Key,
  data: Data,
): Put {
  return { action: 'put', key, kind: entity.kind, data, condition: { kind: 'none' } };
}

/** Returns a delete of an item as read. It fails when the item has changed or was deleted. */
export function deleteItem({ key, version }: Pick<Stored, 'key' | 'version'>): Delete {
  return { action: 'delete', key, condition: { kind: 'version', version } };
}

/** Returns a delete if exists: for items whose change by another writer cannot be lost by it. */
export function deleteIfExists(key: Key): Delete {
  return { action: 'delete', key, condition: { kind: 'none' } };
}

/** Returns a check that an item is still as read. It fails when the item has changed or was deleted. */
export function checkUnchanged({ key, version }: Pick<Stored, 'key' | 'version'>): Check {
  return { action: 'check', key, condition: { kind: 'version', version } };
}

/** Returns a check that an item does not exist. */
export function checkAbsent(key: Key): Check {
  return { action: 'check', key, condition: absent };
}

/** Checks the condition of a write against the current item; undefined: none, or an expired one. */
export function isConditionMet(
  condition: WriteCondition,
  current: Pick<Stored, 'version'> | undefined,
): boolean {
  switch (condition.kind) {
    case 'none':
      return true;
    case 'absent':
      return current === undefined;
    case 'present':
      return current !== undefined;
    case 'version':
      return current?.version === condition.version;
  }
}
