import { createReadStream } from 'node:fs';
import { messageOf } from '../../../shared/values/caught.ts';
import { parseFiniteJson } from '../../../shared/values/json/finite-json.ts';
import { decodeStrictly } from '../../../shared/values/text/decode-text.ts';

/** A line of a file, without its end. */
export interface Line {
  /** Undefined for bytes that are not UTF-8. */
  readonly text: string | undefined;
  /** Position after the line, in bytes. */
  readonly end: number;
}

const newline = 0x0a;

/**
 * Reads the lines of a file one by one, from a position at the start of a line. Empty lines are left out.
 *
 * @param fd descriptor of the file, which is closed
 */
export async function* linesOf(fd: number, from = 0): AsyncGenerator<Line> {
  let rest = Buffer.alloc(0);
  let end = from;
  for await (const chunk of createReadStream('', { fd, start: from })) {
    rest = Buffer.concat([rest, chunk as Buffer]); // a stream without encoding reads buffers
    let start = 0;
    for (let at = rest.indexOf(newline); at >= 0; at = rest.indexOf(newline, start)) {
      const text = decodeStrictly(rest.subarray(start, at));
      end += at + 1 - start;
      start = at + 1;
      if (text?.trim() !== '') yield { text, end };
    }
    rest = rest.subarray(start);
  }
  if (rest.length > 0) yield { text: decodeStrictly(rest), end: end + rest.length };
}

/** Records of a request, and where the next one begins. */
export interface RecordPage<Data> {
  readonly records: readonly Data[];
  /** The lines of the records. */
  readonly texts: readonly string[];
  readonly end: number;
}

/* Bounds of a request, below those of the server (docs/reference/limits.md) */
const maxRecords = 100;
const maxBytes = 1_000_000;
const maxStructure = 100_000;

/** A file of JSON lines. */
interface LinesFile {
  /** Descriptor, which is closed. */
  readonly fd: number;
  /** Its name, for messages. */
  readonly name: string;
}

/**
 * Reads JSON lines in pages that fit into a request.
 *
 * @throws Error that names the file and the position of a line that is no JSON in UTF-8
 */
export async function* linePages<Data>(
  { fd, name }: LinesFile,
  from = 0,
): AsyncGenerator<RecordPage<Data>> {
  let records: Data[] = [];
  let texts: string[] = [];
  let [bytes, structure, end] = [0, 0, from];
  for await (const line of linesOf(fd, from)) {
    const size = line.end - end;
    const text = line.text ?? notUtf8(name, end);
    const marks = text.match(/[[\]{},:]/g)?.length ?? 0;
    const isFull = records.length === maxRecords || bytes + size > maxBytes;
    if (records.length > 0 && (isFull || structure + marks > maxStructure)) {
      yield { records, texts, end };
      [records, texts, bytes, structure] = [[], [], 0, 0];
    }
    records.push(parseLine(text, name, end) as Data);
    texts.push(text);
    bytes += size;
    structure += marks;
    end = line.end;
  }
  if (records.length > 0) yield { records, texts, end };
}

function notUtf8(name: string, start: number): never {
  throw new Error(`${name}, the line at byte ${start}: the bytes are not text in UTF-8`);
}

function parseLine(text: string, name: string, start: number): unknown {
  try {
    return parseFiniteJson(text);
  } catch (error) {
    throw new Error(`${name}, the line at byte ${start}: ${messageOf(error)}`, { cause: error });
  }
}
