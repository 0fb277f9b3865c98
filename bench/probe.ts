import { Session } from 'node:inspector';
import { findSourceMap } from 'node:module';
import type { CallFrame, Profile, Reading } from './profile.ts';

// Preloaded into a server that is measured: answers over IPC what only the process itself knows.

const session = new Session();
const sampleMicros = 250;

process.on('message', (asked) => {
  if (asked === 'read') answer(read());
  if (asked === 'profile') startProfile();
  if (asked === 'profiled') stopProfile();
});
process.on('disconnect', () => process.exit(1)); // whoever measured is gone
process.channel?.unref();

function answer(value: unknown): void {
  process.send?.(value);
}

function read(): Reading {
  const { user, system } = process.cpuUsage();
  return { userMicros: user, systemMicros: system, residentBytes: process.memoryUsage.rss() };
}

function startProfile(): void {
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: sampleMicros });
  session.post('Profiler.start', (error) => answer(error ?? 'started'));
}

function stopProfile(): void {
  session.post('Profiler.stop', (error, taken) => {
    session.disconnect();
    if (error) return answer(error);
    const { nodes, samples = [], timeDeltas = [] } = taken.profile;
    const placed = nodes.map(({ id, children = [], callFrame }) => ({
      id,
      children,
      frame: place(callFrame),
    }));
    answer({ nodes: placed, samples, timeDeltas } satisfies Profile);
  });
}

/** Where a function stands in the source: what runs was squeezed into a few lines. */
function place(frame: CallFrame & { url: string; lineNumber: number; columnNumber: number }) {
  const entry = findSourceMap(frame.url)?.findEntry(frame.lineNumber, frame.columnNumber);
  const line = entry && 'originalLine' in entry ? entry.originalLine : frame.lineNumber;
  const file = frame.url.replace(`file://${process.cwd()}/`, '').replace(/^.*node_modules\//, '');
  return { functionName: frame.functionName, place: file === '' ? '' : `${file}:${line + 1}` };
}
