import { totalmem } from 'node:os';
import { defaultCacheBytes } from './store/cache/item-cache.ts';

const megabyte = 2 ** 20;

const enoughBytes = 2048 * megabyte;
const cacheShare = defaultCacheBytes / enoughBytes;

/** Of memory, for the server and its launcher, and for what the system counts besides. */
const maxServerBytes = 1024 * megabyte;
const serverShare = 0.7; // in little memory: 358 of 512 MB, of which both use 200 to 290

/** How the memory of a machine is divided. */
export interface MemoryPlan {
  /** Approximate heap for recently used items of the store. */
  readonly cacheBytes: number;
  /**
   * Growth of the server's heap above what is in use, until it is collected. With enough memory in the machine, V8 would
   * let it grow to 4 times.
   */
  readonly heapGrowingPercent: number;
  /** For all child processes together. */
  readonly childBytes: number;
}

/** Divides memory between the server and its child processes. */
export function planMemory(totalBytes: number): MemoryPlan {
  const serverBytes = Math.min(maxServerBytes, totalBytes * serverShare);
  return {
    cacheBytes: Math.floor(Math.min(defaultCacheBytes, totalBytes * cacheShare)),
    heapGrowingPercent: totalBytes < enoughBytes ? 30 : 70,
    childBytes: Math.floor(totalBytes - serverBytes),
  };
}

/**
 * Returns the memory for the server and all its child processes: that of the machine, the limit of the container, or
 * the limit of the operator, whichever is least.
 */
export function availableBytes(settingBytes = Number.POSITIVE_INFINITY): number {
  const limit = process.constrainedMemory(); // of the container; 0 or more than the machine's memory without a limit
  return Math.min(settingBytes, totalmem(), limit > 0 ? limit : Number.POSITIVE_INFINITY);
}
