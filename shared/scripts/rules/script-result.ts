import * as v from 'valibot';
import { maySetHeader } from '../../values/text/response-headers.ts';

/**
 * Maximum bytes of standard output, standard error and custom response together (docs/reference/scripts.md#outcome).
 */
export const maxOutputBytes = 524_288;

/** Replaces standard error when the output of a run is too large. */
export const tooMuchOutput = 'stdout and/or stderr max size exceeded.';
/** Message in standard error about an invalid custom response. */
export const invalidResponse = 'HTTP response validation failed.';

/** Checked custom response: it can be sent unchanged. */
export interface ScriptResponse {
  /** 100 to 599. */
  readonly status: number;
  readonly content_type: string;
  readonly content: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Result of a run as its supervisor observed it. It is untrusted: it comes from the script's environment. */
export interface RawResult {
  /** Null when a signal ended the process. */
  readonly exitCode: number | null;
  readonly isTimedOut: boolean;
  /** Whether the output exceeded `maxOutputBytes`. */
  readonly isCut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** JSON of `{status_code, content, content_type, headers}`; absent without a custom response. */
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
  const content = parsed?.response.content ?? '';
  if (raw.isCut || sizeOf(raw.stdout) + sizeOf(raw.stderr) + sizeOf(content) > maxOutputBytes) {
    return { status: 'failure', stdout: cut(stdout), stderr: tooMuchOutput };
  }
  if (raw.isTimedOut || raw.exitCode === timeoutCode) return { status: 'timeout', stdout, stderr };
  if (raw.exitCode !== 0) return { status: 'failure', stdout, stderr };
  if (text === undefined) return { status: 'success', stdout, stderr };
  if (parsed === undefined) {
    return { status: 'failure', stdout, stderr: withLine(stderr, invalidResponse) };
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

const printable = /^[\u0020-\u007e]*$/;
const maxHeaders = 50;
const maxHeadersBytes = 8 * 1024;

const scalar = v.union([v.string(), v.number(), v.boolean()]);
const headersSchema = v.pipe(
  v.custom<object>((value) => typeof value === 'object' && value !== null && !Array.isArray(value)),
  v.transform((headers): [string, unknown][] => Object.entries(headers)),
  v.array(
    v.tuple([
      v.pipe(v.string(), v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), v.maxLength(127)),
      v.pipe(
        scalar,
        v.transform(String),
        v.regex(/^[\t\u0020-\u007e\u0080-\u00ff]*$/),
        v.maxLength(4096),
      ),
    ]),
  ),
  v.maxLength(maxHeaders),
  v.check((headers) => sizeOf(headers.flat().join('')) <= maxHeadersBytes),
);
const responseSchema = v.object({
  status_code: v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^\d{3}$/), v.transform(Number))]),
    v.integer(),
    v.minValue(100),
    v.maxValue(599),
  ),
  content: v.string(),
  content_type: v.pipe(v.string(), v.maxLength(255), v.regex(printable), v.includes('/')),
  headers: headersSchema,
});

const responseText = v.pipe(v.string(), v.parseJson(), responseSchema);

/** A custom response, and the names of headers that are not part of it, as the script wrote them. */
interface ParsedResponse {
  readonly response: ScriptResponse;
  readonly omitted: readonly string[];
}

/** Parses the response that a script has set; undefined when it cannot be sent. */
function parseResponse(text: string): ParsedResponse | undefined {
  const parsed = v.safeParse(responseText, text);
  if (!parsed.success) return undefined;
  const { status_code, content, content_type, headers } = parsed.output;
  const kept = headers.filter(([name]) => maySetHeader(name));
  const omitted = headers.map(([name]) => name).filter((name) => !maySetHeader(name));
  return {
    response: { status: status_code, content, content_type, headers: Object.fromEntries(kept) },
    omitted,
  };
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
