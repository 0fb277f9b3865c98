/**
 * DATA IDS. The contents of an instance lie under its data id: the instance id until the first restore of a backup,
 * then `<restore number> * 10^10 + <instance id>`. Code that works on contents has the data id as its `instance`; keys of
 * what belongs to the instance itself (`ofOwn`) contain the instance id, whichever of both they are made of.
 */
const idRange = 10_000_000_000; // above the ids of instances, which have 4 bytes in keys

/** Returns the instance of a data id. An instance id is that of its own. */
export function ownerOfData(data: number): number {
  return data % idRange;
}

/** Checks whether a data id is one of an instance. */
export function isInstance(instance: number | undefined, data: number | undefined): boolean {
  return instance !== undefined && data !== undefined && instance === ownerOfData(data);
}

/** Returns the number of the restore that filled a data id; 0 for contents that no restore has made. */
export function restoreOfData(data: number): number {
  return Math.floor(data / idRange);
}

/** Returns the data id that a restore fills. */
export function restoredData(instance: number, restore: number): number {
  return restore * idRange + ownerOfData(instance);
}
