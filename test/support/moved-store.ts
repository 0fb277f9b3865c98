import type { Put, Store, Transaction, Write } from '../../shared/store/store.ts';
import { classEntity } from '../../shared/table/entities/classes.ts';
import { instanceEntity, instanceNameEntity } from '../../shared/table/entities/instances.ts';
import type {
  ClassData,
  InstanceData,
  InstanceNameData,
} from '../../shared/table/records/records.ts';
import { restoredData } from '../../shared/values/keys/data-ids.ts';
import { medium } from './medium.ts';

const restore = 3; // any that is not 0

/** Returns the data id of an instance, of which no backup has been restored. */
export function dataIdOf(instance: number): number {
  return medium === 'restored' ? restoredData(instance, restore) : instance;
}

/**
 * Wraps a store so that each new instance has a data id that differs from its id, as after a restore. Only the
 * transaction that creates an instance is changed; everything else has to find the contents.
 */
export function makeMoved(store: Store): Store {
  return { ...store, write: (transaction) => store.write(moved(transaction)) };
}

function moved(transaction: Transaction): Transaction {
  const created = transaction.writes.find(isNewInstance);
  if (created === undefined) return transaction;
  const data = dataIdOf((created.data as InstanceData).id);
  return { ...transaction, writes: transaction.writes.map((write) => move(write, data)) };
}

function isNewInstance(write: Write): write is Put {
  return (
    write.action === 'put' &&
    write.kind === instanceEntity.kind &&
    write.condition.kind === 'absent'
  );
}

function move(write: Write, data: number): Write {
  if (write.action !== 'put') return write;
  switch (write.kind) {
    case instanceEntity.kind:
    case instanceNameEntity.kind:
      return { ...write, data: { ...(write.data as InstanceData | InstanceNameData), data } };
    case classEntity.kind:
      return { ...write, key: classEntity.key(data, (write.data as ClassData).name) };
    default:
      return write;
  }
}
