import { readFileSync } from 'node:fs';
import { maxConnections, reservedDescriptors } from '../../../values/bounds.ts';
import { codeOf } from '../../../values/caught.ts';

const fewest = 16; // so that a server with few descriptors serves at all
const otherSystems = 4096; // least limit of a process on each of them, mostly more

/**
 * Returns how many connections this process may have at a time, by its descriptor limit. That is half of what is left
 * after files and pipes, as a connection may use one more for a file.
 */
export function connectionLimit(): number {
  const spare = (descriptorLimit() - reservedDescriptors) / 2;
  return Math.max(fewest, Math.min(maxConnections, Math.floor(spare)));
}

/** Returns the soft limit, which Node has raised as far as it may; only Linux has it in a file. */
function descriptorLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(
      readFileSync('/proc/self/limits', 'utf8'),
    )?.[1];
    if (soft === 'unlimited') return Number.POSITIVE_INFINITY;
    return soft === undefined ? otherSystems : Number(soft);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return otherSystems;
  }
}
