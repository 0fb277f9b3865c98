import { type Context, instanceOf } from '../../shared/core/family.ts';
import type { Values } from '../../shared/core/resource/input.ts';
import { CounterEnded } from '../../shared/store/store.ts';
import { instanceCounter } from '../../shared/table/counters.ts';
import { maxImportedId } from '../../shared/values/bounds.ts';
import { invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { importFields, TransferKind } from './fields.ts';
import { importGroups } from './import-groups.ts';
import { importObjects } from './import-objects.ts';
import { importUsers } from './import-users.ts';
import type { Imported, TransferCounter } from './record-page.ts';

/** The result of an import. */
interface ImportResult extends Imported {
  /** The first of the reserved ids; null: none were asked for. */
  readonly first: number | null;
}

const counters: Readonly<Record<TransferKind, TransferCounter>> = {
  groups: 'group',
  users: 'user',
  objects: 'object',
};

/**
 * Writes a page of records, and reserves ids for others (docs/reference/transfer.md#import).
 *
 * @throws ApiError 400 when a record is bad, or so many ids are not left, and then nothing is written
 */
export async function importPage(
  context: Context,
  { kind, class: name, records, reserve }: Values<typeof importFields, 'create'>,
): Promise<ImportResult> {
  const first = reserve === 0 ? null : await reserveIds(context, kind, reserve);
  const imported = await importRecords(context, { kind, name, records });
  return { ...imported, first };
}

function importRecords(
  context: Context,
  {
    kind,
    name,
    records,
  }: Pick<Values<typeof importFields, 'create'>, 'kind' | 'records'> & { readonly name: string },
): Promise<Imported> {
  switch (kind) {
    case 'groups':
      return importGroups(context, records);
    case 'users':
      return importUsers(context, records);
    case 'objects':
      return importObjects(context, name, records);
  }
}

async function reserveIds(context: Context, kind: TransferKind, count: number): Promise<number> {
  const counter = instanceCounter(instanceOf(context), counters[kind]);
  try {
    return await context.platform.store.next(counter, count, maxImportedId);
  } catch (error) {
    if (!(error instanceof CounterEnded)) throw error;
    throw invalid({ reserve: [messages.tooManyIds] });
  }
}
