import { parseResponse, type ScriptResponse, sizeOfContent } from './script-response.ts';

/**
 * Maximum bytes of standard output, standard error and custom response together (docs/reference/scripts.md#outcome).
 */
export const maxOutputBytes = 524_288;

/** Replaces standard error when the output of a run is too large. */
export const tooMuchOutput = 'stdout and/or stderr max size exceeded.';
/** Result of a run as its supervisor observed it. It is untrusted: it comes from the script's environment. */
export interface RawResult {
  /** Null when a signal ended the process. */
  readonly exitCode: number | null;
  readonly isTimedOut: boolean;
  /** Whether the output exceeded `maxOutputBytes`. */
  readonly isCut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** JSON of a custom response as {@link parseResponse} reads it; absent without one. */
  readonly response?: string;
}

/** Result of a run by the rules of the interface. */
export interface ScriptResult {
  readonly status: 'success' | 'failure' | 'timeout';
  readonly stdout: string;
  readonly stderr: string;
  readonly response?: ScriptResponse;
}

const timeoutCode = 124;

/**
 * Determines the result of a run: exit code 0 is success, 124 a time-out, anything else a failure; a custom response
 * counts after success only (docs/reference/scripts.md#outcome).
 */
export function judgeRun(raw: RawResult): ScriptResult {
  const stdout = trimEnd(raw.stdout);
  const stderr = trimEnd(raw.stderr);
  const text = raw.exitCode === 0 ? raw.response : undefined;
  const parsed = text === undefined ? undefined : parseResponse(text);
  const bytes = parsed?.response === undefined ? 0 : sizeOfContent(parsed.response);
  if (raw.isCut || sizeOf(raw.stdout) + sizeOf(raw.stderr) + bytes > maxOutputBytes) {
    return { status: 'failure', stdout: cut(stdout), stderr: tooMuchOutput };
  }
  if (raw.isTimedOut || raw.exitCode === timeoutCode) return { status: 'timeout', stdout, stderr };
  if (raw.exitCode !== 0) return { status: 'failure', stdout, stderr };
  if (parsed === undefined) return { status: 'success', stdout, stderr };
  if (parsed.response === undefined) {
    return { status: 'failure', stdout, stderr: withLine(stderr, parsed.problem) };
  }
  const { response, omitted } = parsed;
  const told = omitted.length === 0 ? stderr : withLine(stderr, omittedHeaders(omitted));
  return { status: 'success', stdout, stderr: told, response };
}

/** Message in standard error about headers that a script may not set. */
export function omittedHeaders(names: readonly string[]): string {
  return `Headers left out of the response: ${names.join(', ')}`;
}

function withLine(text: string, line: string): string {
  return text === '' ? line : `${text}\n${line}`;
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Truncates a text to the room left by the message, in whole characters. */
function cut(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const room = maxOutputBytes - sizeOf(tooMuchOutput);
  if (bytes.length <= room) return text;
  return new TextDecoder().decode(bytes.subarray(0, room), { stream: true });
}

function trimEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end -= 1;
  return text.slice(0, end);
}
