import { ResponseError } from '../../client.ts';
import type { InstanceConnection } from '../settings.ts';
import type { Ids } from './folder.ts';
import type { TransferRecord } from './record-ids.ts';

/** What an import of a page has done. */
export interface Sent {
  readonly created: number;
  readonly unchanged: number;
}

/** Kind and class of the records of a page, and the file that they come from. */
export interface PagePlace {
  readonly kind: keyof Ids;
  readonly name: string;
  readonly file: string;
}

/**
 * Writes a page of records.
 *
 * @throws Error that names the first bad record
 */
export async function sendPage(
  { send, base }: InstanceConnection,
  { kind, name, file }: PagePlace,
  records: readonly TransferRecord[],
): Promise<Sent> {
  const body = { kind, class: name, records };
  try {
    return (await send({ path: `${base}import/`, body })).body;
  } catch (error) {
    const first = firstOf(badRecords(error));
    if (first === undefined) throw error;
    const [at, messages] = first;
    const id = records[at]?.id;
    throw new Error(`${file}: record with id ${id}: ${textOf(messages)}`, { cause: error });
  }
}

/** Messages by field of the bad records of a page, by position. */
export type BadRecords = ReadonlyMap<number, Readonly<Record<string, unknown>>>;

/** Returns the bad records that a response names; none for another error. */
export function badRecords(error: unknown): BadRecords {
  const body = error instanceof ResponseError ? error.response.body : undefined;
  const named: Record<string, Record<string, unknown>> = body?.records ?? {};
  if (Array.isArray(named)) return new Map();
  return new Map(Object.entries(named).map(([at, messages]) => [Number(at), messages]));
}

function firstOf(bad: BadRecords) {
  const [first] = bad;
  return first;
}

function textOf(messages: Readonly<Record<string, unknown>>): string {
  return Object.entries(messages)
    .map(([field, texts]) => `${field}: ${[texts].flat().join(' ')}`)
    .join('; ');
}
