import { randomFillSync } from 'node:crypto';
import type { Ids } from './ports.ts';

const bytesPerId = 12;
const poolBytes = bytesPerId * 512; // a system call costs microseconds, so one for many ids

/** Opens a source of random ids: 24 hex digits, 96 random bits each. */
export function openIds(): Ids {
  const pool = Buffer.alloc(poolBytes);
  let used = poolBytes;
  return {
    random: () => {
      if (used === poolBytes) {
        randomFillSync(pool);
        used = 0;
      }
      used += bytesPerId;
      return pool.toString('hex', used - bytesPerId, used);
    },
  };
}
