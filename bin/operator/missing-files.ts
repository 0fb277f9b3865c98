import type { Store, Stored } from '../../shared/store/store.ts';
import { dataOfInstance, instanceIn } from '../../shared/table/data-ids.ts';
import { accountEntity, backupEntity } from '../../shared/table/entities/accounts.ts';
import { classEntity, objectEntity } from '../../shared/table/entities/classes.ts';
import { instanceEntity } from '../../shared/table/entities/instances.ts';
import { traceEntity } from '../../shared/table/entities/runs.ts';
import { scriptSourceEntity } from '../../shared/table/entities/scripts.ts';
import { idIn } from '../../shared/table/key-parts.ts';
import type { BackupData } from '../../shared/table/records/backups.ts';
import type { ClassData } from '../../shared/table/records/records.ts';
import {
  archiveFiles,
  dataOwner,
  type FileArea,
  readFileKey,
  readKeyOf,
} from '../../shared/values/file-keys.ts';
import { isPrivateKey } from '../../shared/values/files/file-addresses.ts';
import { missingOfArchive, type ReadFiles } from './missing-of-archive.ts';
import { formatTable } from './terminal.ts';

/** Records and files of a deployment or a data folder, to be read only. */
export interface StoredFiles extends ReadFiles {
  /** Passes all items of some kinds to `take`. */
  walk(kinds: readonly string[], take: (item: Stored) => void): Promise<void>;
  readonly store: Pick<Store, 'get'>;
}

/** A record whose file is gone. */
export interface MissingFile {
  /** Name of the instance. */
  readonly instance: string;
  /** The record, and the position in it: `class book, object 5, field scan`. */
  readonly record: string;
  /** Key of the file, or the value that is not the key of a file of the instance. */
  readonly file: string;
  readonly problem: 'missing' | 'not a file key';
}

/** Records by which others are shown. */
interface Names {
  /** Names of instances by their current data id. */
  readonly instances: Map<number, string>;
  /** The same by their id. */
  readonly byId: Map<number, string>;
  /** Addresses of accounts. */
  readonly accounts: Map<number, string>;
  /** Classes by data id and number. */
  readonly classes: Map<string, ClassData>;
}

/** Lists the records whose file is gone: values of file fields, sources of scripts, values of traces, backups. */
export async function findMissingFiles(stored: StoredFiles): Promise<readonly MissingFile[]> {
  const names = await readNames(stored);
  const found: { readonly item: Stored; readonly missing: MissingFile }[] = [];
  const backups: Stored<BackupData>[] = [];
  const kinds = [objectEntity, scriptSourceEntity, traceEntity, backupEntity];
  await stored.walk(
    kinds.map(({ kind }) => kind),
    (item) => {
      if (backupEntity.matches(item)) backups.push(item);
      else found.push(...missingOf(names, stored, item).map((missing) => ({ item, missing })));
    },
  );
  const missing: MissingFile[] = [];
  for (const one of found) if (await isStillMissing(names, stored, one)) missing.push(one.missing);
  for (const backup of backups) missing.push(...(await missingOfBackup(names, stored, backup)));
  return missing.sort((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
}

/** Returns the list as text, each record on its line. */
export function showMissing(missing: readonly MissingFile[]): string {
  if (missing.length === 0) return 'No file is missing.\n';
  const rows = missing.map(({ instance, record, problem, file }) => [
    instance,
    record,
    problem,
    printable(file),
  ]);
  return formatTable([['instance', 'record', 'problem', 'file'], ...rows]);
}

const shownCharacters = 100;

/** A value that is no key is a tenant's text. */
function printable(text: string): string {
  return text.slice(0, shownCharacters).replace(/[^ -~]/g, '?');
}

const textOf = ({ instance, record }: MissingFile) => `${instance}\n${record}`;

async function readNames({ walk }: StoredFiles): Promise<Names> {
  const names: Names = {
    instances: new Map(),
    byId: new Map(),
    accounts: new Map(),
    classes: new Map(),
  };
  const kinds = [accountEntity, instanceEntity, classEntity].map(({ kind }) => kind);
  await walk(kinds, (item) => {
    if (accountEntity.matches(item)) names.accounts.set(item.data.id, item.data.email);
    if (classEntity.matches(item)) {
      names.classes.set(`${instanceIn(item.key)}#${item.data.number}`, item.data);
    }
    if (!instanceEntity.matches(item)) return;
    names.instances.set(dataOfInstance(item.data), item.data.name);
    names.byId.set(item.data.id, item.data.name);
  });
  return names;
}

interface Reference {
  readonly record: string;
  readonly file: string;
  readonly area: FileArea;
}

/** Returns the files that an item refers to. */
function referencesOf({ classes }: Names, item: Stored): readonly Reference[] {
  const [, data, , kind, parent] = item.key.pk.split('#');
  if (scriptSourceEntity.matches(item)) {
    const { file } = item.data;
    const record = `script ${idIn(item.key)}`;
    return file === undefined ? [] : [{ record, file, area: 'scripts' }];
  }
  if (traceEntity.matches(item)) {
    const { id, args, result } = item.data;
    return Object.entries({ args, result }).flatMap(([name, part]) => {
      const record = `trace ${id} of ${kind} ${parent}, ${name}`;
      return 'file' in part ? [{ record, file: part.file, area: 'traces' as const }] : [];
    });
  }
  const ofClass = classes.get(`${data}#${kind}`); // of an object: the number of its class
  if (!objectEntity.matches(item) || ofClass === undefined) return [];
  const { id, values } = item.data;
  return ofClass.schema.flatMap(({ type, name }, at) => {
    const value = values[ofClass.storage[at]?.storage ?? ''];
    if (type !== 'file' || value === undefined) return [];
    const record = `class ${ofClass.name}, object ${id}, field ${name}`;
    const file = String(value);
    return [{ record, file, area: isPrivateKey(file) ? 'private' : 'public' }];
  });
}

function missingOf(names: Names, { has }: Pick<StoredFiles, 'has'>, item: Stored) {
  const data = instanceIn(item.key);
  const instance = names.instances.get(data);
  if (instance === undefined) return []; // contents that are being deleted, or restored
  return referencesOf(names, item).flatMap(({ record, file, area }): readonly MissingFile[] => {
    const key = readKeyOf(dataOwner(data), area, file);
    if (key === undefined) return [{ instance, record, file, problem: 'not a file key' }];
    return has(key) ? [] : [{ instance, record, file, problem: 'missing' }];
  });
}

/** Reads the record and the file again: a server may have changed or deleted them in the meantime. */
async function isStillMissing(
  names: Names,
  { store, files }: StoredFiles,
  { item, missing }: { readonly item: Stored; readonly missing: MissingFile },
): Promise<boolean> {
  const [now] = await store.get([item.key]);
  if (now === undefined) return false;
  if (referencesOf(names, now).every(({ file }) => file !== missing.file)) return false;
  if (missing.problem === 'not a file key') return true;
  const key = readFileKey(missing.file);
  return (
    key !== undefined && (await files.size(dataOwner(instanceIn(item.key)), key)) === undefined
  );
}

/** Returns what the archive of a complete backup lacks. */
async function missingOfBackup(
  { byId, accounts }: Names,
  stored: StoredFiles,
  item: Stored<BackupData>,
): Promise<readonly MissingFile[]> {
  const { id, instance: number, status } = item.data;
  if (status !== 'success') return []; // its archive is incomplete, or deleted
  const account = Number(item.key.pk.split('#')[1]);
  const missing = await missingOfArchive(stored, archiveFiles(account, id));
  const [now] = missing.length > 0 ? await stored.store.get([item.key]) : [];
  if (now === undefined) return []; // deleted in the meantime
  const instance = byId.get(number) ?? `instance ${number}`;
  const record = `backup ${id} of ${accounts.get(account) ?? `account ${account}`}`;
  return missing.map((file) => ({ instance, record, file, problem: 'missing' }));
}
