import { readFileSync } from 'node:fs';

const pageBytes = 4096;
const everyMs = 25;

/**
 * Looks again and again how much memory a process holds, where the system tells (Linux).
 *
 * @param onExceeded called once, when it holds more than `maxBytes`
 * @returns a function that stops looking
 */
export function watchMemory(
  pid: number | undefined,
  maxBytes: number,
  onExceeded: () => void,
): () => void {
  const timer = setInterval(() => {
    if (pid === undefined || residentBytes(pid) <= maxBytes) return;
    clearInterval(timer);
    onExceeded();
  }, everyMs);
  return () => clearInterval(timer);
}

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageBytes;
  } catch {
    return 0; // it has ended, or this system keeps no such book
  }
}
