import type { Delete, IndexKeys, Key, Put, Stored } from './store.ts';

/** A put of an item that must not be there yet. */
export function insert<Data extends object>(
  entity: { readonly kind: string; readonly data?: Data },
  key: Key,
  data: Data,
  indexes?: IndexKeys,
): Put {
  const put: Put = { action: 'put', key, kind: entity.kind, data, condition: { kind: 'absent' } };
  return indexes === undefined ? put : { ...put, indexes };
}

/** A put over what was read: it fails when the item has changed or is gone. */
export function replace<Data extends object>(
  current: Stored<Data>,
  data: Data,
  indexes?: IndexKeys,
): Put {
  const { key, kind, version } = current;
  const put: Put = { action: 'put', key, kind, data, condition: { kind: 'version', version } };
  return indexes === undefined ? put : { ...put, indexes };
}

/** A put over what may be there or not: nobody else's change can be lost by it. */
export function store<Data extends object>(
  entity: { readonly kind: string; readonly data?: Data },
  key: Key,
  data: Data,
): Put {
  return { action: 'put', key, kind: entity.kind, data, condition: { kind: 'none' } };
}

/** A delete of what was read: it fails when the item has changed or is gone. */
export function remove({ key, version }: Pick<Stored, 'key' | 'version'>): Delete {
  return { action: 'delete', key, condition: { kind: 'version', version } };
}

/** A delete of what may be there or not: nobody else's change can be lost by it. */
export function erase(key: Key): Delete {
  return { action: 'delete', key, condition: { kind: 'none' } };
}
