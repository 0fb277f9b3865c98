import { setTimeout } from 'node:timers/promises';
import { listItems, type PathSend } from '../../shared/clients/client.ts';
import { at, below, joinPaths, type RequestPath } from '../../shared/values/text/request-path.ts';
import { OperatorUsageError } from '../operator/terminal.ts';
import type { InstanceConnection } from './settings.ts';
import type { Terminal } from './terminal.ts';

/** A run of a script (docs/reference/scripts.md#traces). */
export interface ScriptTrace {
  readonly id: number;
  readonly status: string;
  readonly executed_at: string | null;
  /** In milliseconds. */
  readonly duration: number | null;
  /** Empty until the end. */
  readonly result: {
    readonly stdout?: string;
    readonly stderr?: string;
    readonly response?: {
      readonly status: number;
      readonly content: string;
      /** The content is bytes that are no text. */
      readonly encoding?: 'base64';
    };
  };
  readonly links: { readonly self: string };
}

/** Returns whether a run has ended. */
export function hasEnded({ status }: Pick<ScriptTrace, 'status'>): boolean {
  return status !== 'pending' && status !== 'processing';
}

const longestPauseMs = 1000;

/** Waits until a run has ended. Returns its trace. */
export async function endOf(send: PathSend, path: RequestPath): Promise<ScriptTrace> {
  for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const { body } = await send({ path });
    if (hasEnded(body)) return body;
    await setTimeout(pauseMs);
  }
}

/** Returns how a run has ended, and how long it took. */
export function outcomeOf({ status, duration }: ScriptTrace, out: Terminal): string {
  const shown = out.style(status === 'success' ? 'green' : 'red', status);
  return duration === null ? shown : `${shown} in ${duration} ms`;
}

/** Returns what a run has printed, and its custom response. */
export function outputOf({ result }: ScriptTrace, out: Terminal): readonly string[] {
  const { stdout = '', stderr = '', response } = result;
  return [
    ...linesOf(stdout),
    ...linesOf(stderr).map((line) => out.style('red', line)),
    ...(response ? [responseOf(response)] : []),
  ];
}

function responseOf({ status, content, encoding }: NonNullable<ScriptTrace['result']['response']>) {
  return `response ${status}${encoding === undefined ? '' : ` in ${encoding}`}: ${content}`;
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

/** Something that has a label besides its id. */
interface Labelled {
  readonly id: number;
  readonly label: string;
}

/** Where something that was found is. */
interface Found extends Pick<Labelled, 'id'> {
  readonly path: RequestPath;
}

/** Paths of lists below an instance, by what they have. */
const labelledLists = { script: at`snippets/scripts/`, trigger: at`triggers/` } as const;

/**
 * Finds a script or a trigger by its label or its id. Returns its path.
 *
 * @throws UsageError when several have the label; Error when none has
 */
export async function findLabelled(
  { send, base }: InstanceConnection,
  kind: keyof typeof labelledLists,
  wanted: string,
): Promise<Found> {
  const list = joinPaths(base, labelledLists[kind]);
  const foundAt = ({ id }: Labelled) => ({ id, path: below(list)`${id}/` });
  const found: Labelled[] = [];
  for await (const item of listItems<Labelled>(send, below(list)`?fields=id,label`)) {
    if (String(item.id) === wanted) return foundAt(item);
    if (item.label === wanted) found.push(item);
  }
  const [first, ...others] = found;
  if (first === undefined) throw new Error(`there is no ${kind} with the label or id ${wanted}`);
  if (others.length === 0) return foundAt(first);
  const ids = found.map(({ id }) => id).join(', ');
  throw new OperatorUsageError(
    `${found.length} ${kind}s have the label ${wanted}: give one of the ids ${ids}`,
  );
}
