import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import * as v from 'valibot';
import { processVariables } from '../../../ports/setting-variables.ts';

const maxOutput = 10_000; // characters that are kept of what the process prints
const heapMegabytes = 192;
const youngMegabytes = 1; // chunks of files are outside of the heap: 145 MB in all instead of 180
const priority = 10; // below the server and its scripts
const killMs = 3000; // after the process was asked to end; it aborts its upload then

const successSchema = v.object({ name: v.string(), items: v.number(), files: v.number() });
const failureSchema = v.object({ error: v.string() });

/** How a backup ended: its name, or the reason for its failure in one sentence. */
export type BackupOutcome =
  | { readonly kind: 'ok'; readonly name: string }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Makes a backup in a process of its own: whatever the target does, it costs the server neither heap nor time of its
 * event loop.
 *
 * @param program the command `groundwork`
 * @param signal ends the process, which tidies up within seconds
 */
export async function runBackupProcess(
  program: string,
  {
    folder,
    to,
    signal,
  }: { readonly folder: string; readonly to: string; readonly signal: AbortSignal },
): Promise<BackupOutcome> {
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${heapMegabytes}`,
      `--max-semi-space-size=${youngMegabytes}`,
      program,
      'backup',
      '--json',
      '--to',
      to,
      '--data',
      folder,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...processVariables() } },
  );
  const [printed, complaints] = [collect(child.stdout), collect(child.stderr)];
  let killing: NodeJS.Timeout | undefined;
  const stop = () => {
    child.kill('SIGTERM');
    killing = setTimeout(() => child.kill('SIGKILL'), killMs).unref();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (child.pid !== undefined) setPriority(child.pid, priority);
  const ended = await new Promise<string>((resolve) => {
    child.once('error', () => resolve('was not started'));
    child.once('close', (code, by) => resolve(`ended with ${by ?? code}`));
  });
  signal.removeEventListener('abort', stop);
  clearTimeout(killing);
  const made = v.safeParse(successSchema, readJson(printed()));
  if (made.success && ended === 'ended with 0') return { kind: 'ok', name: made.output.name };
  const failed = v.safeParse(failureSchema, readJson(complaints()));
  const reason = failed.success ? failed.output.error : `the process of the backup ${ended}`;
  return { kind: 'failed', reason: reason.slice(0, 500) };
}

/** Collects the beginning of a text, and reads the rest. */
function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part.slice(0, maxOutput - text.length);
  });
  return () => text;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
