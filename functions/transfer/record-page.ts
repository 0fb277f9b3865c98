import { type Context, type Fields, instanceOf } from '../../shared/core/family.ts';
import { readInput, type Values } from '../../shared/core/resource/input.ts';
import { CounterEnded } from '../../shared/store/store.ts';
import { instanceCounter } from '../../shared/table/counters.ts';
import { maxImportedId } from '../../shared/values/bounds.ts';
import { type FieldErrors, invalid, tooManyIds } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { isSameJson } from '../../shared/values/json/json-values.ts';
import { transferMessages } from './messages.ts';

/** What an import has done. */
export interface Imported {
  /** Records that did not exist. */
  readonly created: number;
  /** Records that existed as they are on the page. */
  readonly unchanged: number;
}

/** A record of a page, with its values as far as they are valid. */
export interface ReadRecord<F extends Fields> {
  readonly record: JsonObject;
  readonly values: Values<F, 'create'>;
  /** Messages by field; empty without errors. */
  readonly errors: Record<string, FieldErrors[string]>;
}

const maxUnknown = 20;

/**
 * Reads the records of a page. Unknown names are errors: an import loses nothing silently.
 *
 * @param isKnown checks whether a name is a further field
 */
export function readRecords<F extends Fields>(
  fields: F,
  records: readonly JsonObject[],
  isKnown: (name: string) => boolean = () => false,
): readonly ReadRecord<F>[] {
  const seen = new Set<unknown>();
  return records.map((record) => {
    const { values, errors: wrong } = readInput(fields, { value: record, form: false }, 'create');
    const errors: Record<string, FieldErrors[string]> = { ...wrong };
    const unknown = Object.keys(record).filter(
      (name) => !Object.hasOwn(fields, name) && !isKnown(name),
    );
    for (const name of unknown.slice(0, maxUnknown)) errors[name] = [transferMessages.unknownField];
    const { id } = values as { readonly id?: unknown };
    if (seen.has(id)) errors.id = [messages.unique];
    if (id !== undefined) seen.add(id);
    return { record, values: values as Values<F, 'create'>, errors }; // used only without errors
  });
}

/**
 * Checks that no record of a page has an error: otherwise nothing of the page is written.
 *
 * @throws ApiError 400 with the messages of each bad record, by its position on the page
 */
export function checkPage(page: readonly Pick<ReadRecord<Fields>, 'errors'>[]): void {
  const bad = page.flatMap(({ errors }, at) => {
    return Object.keys(errors).length === 0 ? [] : [[String(at), errors] as const];
  });
  if (bad.length > 0) throw invalid({ records: Object.fromEntries(bad) });
}

/**
 * Adds the error of an id that is being deleted, or that another record has.
 *
 * @param other what is stored under the id, as a record
 * @returns whether the record exists as it is here
 */
export function isStored<F extends Fields>(
  { values, errors }: ReadRecord<F>,
  { other, isDeleted }: { readonly other: JsonObject | undefined; readonly isDeleted: boolean },
): boolean {
  if (isDeleted) errors.id = [transferMessages.beingDeleted]; // its clean-up would clear this one
  if (other === undefined) return false;
  if (isSameJson(other, { ...values })) return true;
  errors.id = [transferMessages.differs];
  return false;
}

/** Counters of the records of an instance that are exported. */
export type TransferCounter = 'object' | 'user' | 'group';

/** Ids that a new record brings, by its member. */
type IdsOf<Record> = (record: Record) => Readonly<{ [member: string]: readonly number[] }>;

/**
 * Adds an error for each id that is so high that few would be left for later records. A record that exists brings none.
 *
 * @param fresh the records that do not exist yet
 */
export function checkIds<R extends Pick<ReadRecord<Fields>, 'errors'>>(
  fresh: readonly R[],
  idsOf: IdsOf<R>,
): void {
  for (const record of fresh) {
    for (const [member, ids] of Object.entries(idsOf(record))) {
      if (ids.some((id) => id > maxImportedId)) record.errors[member] = [messages.tooManyIds];
    }
  }
}

/** Raises a counter so that no later record gets one of these ids, which `checkIds` has checked. */
export async function raiseCounter(
  context: Context,
  name: TransferCounter,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  const counter = instanceCounter(instanceOf(context), name);
  const highest = ids.reduce((most, id) => Math.max(most, id), 0);
  if (highest > maxImportedId) throw tooManyIds();
  const { store } = context.platform;
  for (;;) {
    const next = await store.next(counter);
    if (next >= highest) return;
    try {
      await store.next(counter, highest - next, maxImportedId);
      return;
    } catch (error) {
      if (!(error instanceof CounterEnded)) throw error; // else another page has raised it in the meantime
    }
  }
}
