import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { findSourceMap } from 'node:module';
import { pathToFileURL } from 'node:url';

// Preloaded into a measured server: reports data over IPC that only the process itself has. This is plain JavaScript,
// so that the server needs no additional loader.

const session = new Session();
const sampleMicros = 250;
const root = pathToFileURL(`${process.cwd()}/`).href;

process.on('message', (asked) => {
  if (asked === 'read') process.send(read());
  if (asked === 'profile') startProfile();
  if (asked === 'profiled') stopProfile();
});
process.on('disconnect', () => process.exit(1)); // the measuring process ended
process.channel.unref();

/** Returns a `Reading` of profile.ts. */
function read() {
  const { user, system } = process.cpuUsage();
  return { userMicros: user, systemMicros: system, memoryBytes: memoryBytes() };
}

/** Returns the memory without mapped files, such as the pages of the database; where it is unknown, all memory. */
function memoryBytes() {
  try {
    const [, kilobytes] = /RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'));
    return kilobytes * 1024;
  } catch {
    return process.memoryUsage.rss();
  }
}

function startProfile() {
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: sampleMicros });
  session.post('Profiler.start', () => process.send('started'));
}

/** Sends a `Profile` of profile.ts. */
function stopProfile() {
  session.post('Profiler.stop', (_error, { profile }) => {
    session.disconnect();
    const { samples, timeDeltas } = profile;
    const nodes = profile.nodes.map(({ id, children = [], callFrame }) => ({
      id,
      children,
      name: callFrame.functionName || '(anonymous)',
      source: sourceOf(callFrame),
    }));
    process.send({ nodes, samples, timeDeltas });
  });
}

/** Returns file and line in the source, also for transformed code; empty for native functions. */
function sourceOf({ url, lineNumber, columnNumber }) {
  if (url === '' || url.startsWith('node:')) return url;
  const { originalSource, originalLine } =
    findSourceMap(url)?.findEntry(lineNumber, columnNumber) ?? {};
  const source = originalSource === undefined ? url : new URL(originalSource, url).href;
  const file = source.replace(root, '').replace(/^.*node_modules\/|^\.build\//, '');
  return `${file}:${(originalLine ?? lineNumber) + 1}`;
}
