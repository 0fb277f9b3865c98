import { readFileSync } from 'node:fs';

const pageBytes = 4096;
const everyMs = 25;

/**
 * Checks periodically how much memory a process uses, where the system reports it (Linux).
 *
 * @param onExceeded called once, when it uses more than `maxBytes`
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
  }, everyMs);
  return () => clearInterval(timer);
}

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageBytes;
  } catch {
    return 0; // it has ended, or this system does not report it
  }
}
