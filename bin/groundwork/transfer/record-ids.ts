import { type ExportedIds, kindOfPart } from './folder.ts';
import type { SchemaField } from './schema.ts';

/** A record of an export. */
export type TransferRecord = Readonly<Record<string, unknown>>;

/** Records of a part. */
export interface PartRecords {
  readonly part: string;
  /** Fields of their class; empty where they are not objects. */
  readonly fields: readonly SchemaField[];
  readonly records: readonly TransferRecord[];
}

/** Replaces an id of a kind. */
export type MapId = (kind: keyof ExportedIds, id: number) => number;

/** Returns a record with all its ids replaced. */
export function mapIds(
  { part, fields }: Pick<PartRecords, 'part' | 'fields'>,
  record: TransferRecord,
  map: MapId,
): TransferRecord {
  const { kind } = kindOfPart(part);
  const own = { ...record, id: map(kind, Number(record.id)) };
  switch (kind) {
    case 'groups':
      return own;
    case 'users': {
      const groups = record.groups as readonly number[]; // as exported
      const profile = map('objects', Number(record.profile));
      return { ...own, profile, groups: groups.map((id) => map('groups', id)) };
    }
    case 'objects': {
      const references = fields.flatMap((field) => {
        const value = record[field.name];
        return field.target === undefined || value === null || value === undefined
          ? []
          : [[field.name, mapReference(field.target, value, map)]];
      });
      return {
        ...own,
        owner: mapOptional('users', record.owner, map),
        group: mapOptional('groups', record.group, map),
        ...Object.fromEntries(references),
      };
    }
  }
}

function mapOptional(kind: keyof ExportedIds, id: unknown, map: MapId): number | null {
  return typeof id === 'number' ? map(kind, id) : null;
}

/** Replaces the ids in the value of a reference or a relation, as the interface shows it. */
function mapReference(target: string, shown: unknown, map: MapId): unknown {
  const kind = target.toLowerCase() === 'user' ? 'users' : 'objects';
  const { value } = shown as { readonly value: number | readonly number[] };
  const mapped =
    typeof value === 'number' ? map(kind, value) : value.map((each) => map(kind, each));
  return { ...(shown as object), value: mapped };
}

/** Returns the highest ids, given those of earlier pages. */
export function highestRecordIds(
  known: ExportedIds,
  { records, ...rest }: PartRecords,
): ExportedIds {
  const highest = { ...known };
  for (const record of records) {
    mapIds(rest, record, (kind, id) => {
      highest[kind] = Math.max(highest[kind], id);
      return id;
    });
  }
  return highest;
}
