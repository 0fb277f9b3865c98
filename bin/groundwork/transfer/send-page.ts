import { ResponseError } from '../../../shared/clients/client.ts';
import { below } from '../../../shared/values/text/request-path.ts';
import type { InstanceConnection } from '../settings.ts';
import type { ExportedIds } from './folder.ts';
import type { TransferRecord } from './record-ids.ts';

/** What an import of a page has done. */
export interface Sent {
  readonly created: number;
  readonly unchanged: number;
}

/** Kind and class of the records of a page, and where each comes from, for messages. */
export interface PageReader {
  readonly kind: keyof ExportedIds;
  readonly name: string;
  /** Returns `books.csv, line 7` for the record at a position. */
  readonly sourceOf: (at: number) => string;
}

/** Messages by field of the bad records of a page, by position. */
export type BadRecords = ReadonlyMap<number, Readonly<Record<string, unknown>>>;

/** The server has written nothing of a page, because of some records. */
export class BadPage extends Error {
  readonly bad: BadRecords;

  constructor(message: string, bad: BadRecords) {
    super(message);
    this.bad = bad;
  }
}

/**
 * Writes a page of records.
 *
 * @throws BadPage that names the first bad record
 */
export async function sendPage(
  { send, base }: InstanceConnection,
  { kind, name, sourceOf }: PageReader,
  records: readonly TransferRecord[],
): Promise<Sent> {
  if (records.length === 0) return { created: 0, unchanged: 0 };
  const body = { kind, class: name, records };
  try {
    return (await send({ path: below(base)`import/`, body })).body;
  } catch (error) {
    const bad = badRecords(error);
    const [first] = bad;
    if (first === undefined) throw error;
    const [at, messages] = first;
    throw new BadPage(`${sourceOf(at)}, ${textOf(messages)}`, bad);
  }
}

function badRecords(error: unknown): BadRecords {
  const body = error instanceof ResponseError ? error.response.body : undefined;
  const named: Record<string, Record<string, unknown>> = body?.records ?? {};
  const isNamed = ([at]: readonly [string, unknown]) => /^\d+$/.test(at);
  const entries = Array.isArray(named) ? [] : Object.entries(named).filter(isNamed);
  return new Map(entries.map(([at, messages]) => [Number(at), messages]));
}

function textOf(messages: Readonly<Record<string, unknown>>): string {
  return Object.entries(messages)
    .map(([field, texts]) => `${field}: ${[texts].flat().join(' ')}`)
    .join(', ');
}
