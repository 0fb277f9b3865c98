import { readFileSync } from 'node:fs';

const pageBytes = 4096;
const intervalMs = 25;

/**
 * Checks the memory use of a process periodically, where the system reports it (Linux).
 *
 * @param onExceeded called once, when the process uses more than `maxBytes`
 * @returns a function that stops the checks
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
  }, intervalMs);
  return () => clearInterval(timer);
}

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageBytes;
  } catch {
    return 0; // the process has ended, or this system does not report memory
  }
}
