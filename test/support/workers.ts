import { availableParallelism } from 'node:os';

/** Test files at a time: two even on a machine of two cores, since much of their time is waiting for processes and disks. */
export const workers = Math.max(2, availableParallelism() - 1);
