import * as v from 'valibot';
import { maySetHeader } from '../../values/text/response-headers.ts';

/** Message in standard error about an invalid custom response. */
export const invalidResponse = 'HTTP response validation failed.';

/** Checked custom response: it can be sent unchanged. */
export interface ScriptResponse {
  /** 100 to 599. */
  readonly status: number;
  readonly content_type: string;
  /** Text, or bytes that are no text as {@link encoding} says. */
  readonly content: string;
  readonly encoding?: 'base64';
  /** Only `Set-Cookie` may have a list: one entry per cookie. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/** Custom response, and the names of headers that are not part of it, as the script wrote them. */
interface Sendable {
  readonly response: ScriptResponse;
  readonly omitted: readonly string[];
}

/** A custom response that cannot be sent, and the reason: lines for standard error. */
interface Unsendable {
  readonly response?: never;
  readonly problem: string;
}

const printable = /^[\u0020-\u007e]*$/;
const responseText = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    status_code: v.pipe(
      v.union([v.number(), v.pipe(v.string(), v.regex(/^\d{3}$/), v.transform(Number))]),
      v.integer(),
      v.minValue(100),
      v.maxValue(599),
    ),
    content_type: v.pipe(v.string(), v.maxLength(255), v.regex(printable), v.includes('/')),
    content: v.string(),
    encoding: v.exactOptional(v.literal('base64')),
    headers: v.pipe(
      v.custom<object>(
        (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      ),
      v.transform((headers): [string, unknown][] => Object.entries(headers)),
    ),
  }),
);

/**
 * Parses the response that a script has set (docs/reference/scripts.md#custom-responses).
 *
 * @param text JSON of `{status_code, content, encoding?, content_type, headers}`
 */
export function parseResponse(text: string): Sendable | Unsendable {
  const parsed = v.safeParse(responseText, text);
  if (!parsed.success) return { problem: invalidResponse };
  const { status_code, headers, ...body } = parsed.output;
  const problem = problemOfHeaders(headers);
  if (problem !== undefined) return { problem: `${invalidResponse}\n${problem}` };
  const kept = headers.filter(([name]) => maySetHeader(name));
  const sent = kept.map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(String) : String(value),
  ]);
  return {
    response: { status: status_code, ...body, headers: Object.fromEntries(sent) },
    omitted: headers.map(([name]) => name).filter((name) => !maySetHeader(name)),
  };
}

/** Returns the bytes of the content as it is sent. */
export function sizeOfContent({ content, encoding }: ScriptResponse): number {
  return Buffer.byteLength(content, encoding ?? 'utf8');
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const maxNameLength = 127;
const maxValueLength = 4096;
const maxHeaders = 50;
const maxHeadersBytes = 8 * 1024;

function problemOfHeaders(headers: readonly [string, unknown][]): string | undefined {
  for (const [name, value] of headers) {
    const problem = problemOfName(name) ?? problemOfValue(name, value);
    if (problem !== undefined) return `header ${showName(name)}: ${problem}`;
  }
  const all = headers.flatMap(([name, value]) => [value].flat().map((each) => `${name}${each}`));
  if (all.length > maxHeaders) return `headers: more than ${maxHeaders}`;
  if (Buffer.byteLength(all.join('')) > maxHeadersBytes) {
    return `headers: more than ${maxHeadersBytes} bytes`;
  }
  return undefined;
}

/** Shows a name that may be anything on one line. */
function showName(name: string): string {
  return token.test(name) ? name.slice(0, maxNameLength) : JSON.stringify(name.slice(0, 60));
}

function problemOfName(name: string): string | undefined {
  if (!token.test(name)) return 'a name has letters, digits and hyphens';
  if (name.length > maxNameLength) return `the name has more than ${maxNameLength} characters`;
  return undefined;
}

function problemOfValue(name: string, value: unknown): string | undefined {
  if (!Array.isArray(value)) return problemOfText(value);
  if (name.toLowerCase() !== 'set-cookie') {
    return 'the value is a list, which only Set-Cookie may have';
  }
  return value.map(problemOfText).find((problem) => problem !== undefined);
}

function problemOfText(value: unknown): string | undefined {
  if (!['string', 'number', 'boolean'].includes(typeof value)) {
    return 'the value is neither text, a number nor a boolean';
  }
  const text = String(value);
  if (/[^\t\u0020-\u007e\u0080-\uffff]/.test(text)) return 'the value has a control character';
  if (/[\u0100-\uffff]/.test(text)) {
    return 'the value has characters that headers cannot have (beyond Latin-1): encode them';
  }
  if (text.length > maxValueLength) return `the value has more than ${maxValueLength} characters`;
  return undefined;
}
