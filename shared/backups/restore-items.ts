import { type CompiledClass, compileClass } from '../classes/rules/compiled-class.ts';
import { fileNamesOf } from '../classes/rules/file-names.ts';
import { uniqueKeys } from '../objects/unique-values.ts';
import type { Platform } from '../ports/ports.ts';
import { pushEnvironments } from '../push/rules/provider.ts';
import { jsonBytes } from '../store/exact-json.ts';
import type { Key, Put, Stored } from '../store/store.ts';
import { putItem } from '../store/writes.ts';
import { classEntity, fileEntity, objectEntity, uniqueEntity } from '../table/entities/classes.ts';
import { scriptEndpointEntity } from '../table/entities/endpoints.ts';
import { pushConfigEntity } from '../table/entities/push.ts';
import { scriptSourceEntity } from '../table/entities/scripts.ts';
import { userAddressEntity } from '../table/entities/user-accounts.ts';
import { membershipEntity, userEntity, usernameEntity } from '../table/entities/users.ts';
import { encodeText } from '../table/index-keys.ts';
import { objectIndexes } from '../table/object-indexes.ts';
import type { PushConfigData } from '../table/records/push.ts';
import type { ClassData, FileData, Keyed, ObjectData, UserData } from '../table/records/records.ts';
import { guestPuts } from '../users/guests/restore-guest.ts';
import { movedFileKey, readFileKey } from '../values/file-keys.ts';
import type { ArchivedItem } from './archive.ts';

/** Where archived items are put. */
export interface RestoreTarget {
  /** Data id. */
  readonly data: number;
  /** Returns the address of public files. */
  readonly filesAt: () => string;
  /** The classes of the archive that are known so far, by number. */
  readonly classes: Map<number, RestoredClass>;
  /** Returns the key of a new record, for users and script endpoints; absent: they have the key of the backup. */
  readonly newKey?: (() => Keyed) | undefined;
  readonly platform: Pick<Platform, 'clock' | 'ids'>;
}

interface RestoredClass {
  readonly data: ClassData;
  readonly compiled: CompiledClass;
}

/** Number and bytes of the objects of a class, and of their files. */
export type ClassSums = {
  readonly objects: number;
  readonly bytes: number;
  readonly files: number;
  readonly fileBytes: number;
};

/** The sums of classes, by number. */
export type Sums = Readonly<Record<string, ClassSums>>;

/** An archived item under its new key. */
interface Moved extends Stored {
  readonly classNumber: number;
}

/** Returns an archived item under its key below a data id. */
export function moveItem(data: number, [below, sk, kind, stored]: ArchivedItem): Moved {
  const isFile = kind === fileEntity.kind;
  const key: Key = { pk: `INSTANCE#${data}${below}`, sk: isFile ? movedFile(sk, data) : sk };
  return { key, kind, version: '', data: stored, classNumber: Number(below.split('#')[2]) };
}

/** Adds a class, so that its objects can be restored. */
export function addClass({ classes, filesAt }: RestoreTarget, data: ClassData): void {
  classes.set(data.number, { data, compiled: compileClass(data, filesAt) });
}

/** Returns a class as it is restored: all entries of its indexes are made anew. */
export function readyClass({ unfilledSlots: _, ...data }: ClassData): ClassData {
  return { ...data, status: 'ready', retiredSlots: [] };
}

/** Returns the puts of an archived item and of what follows from it. A repetition puts the same, but for new keys. */
export function putsOf(target: RestoreTarget, item: Moved): readonly Put[] {
  const { key } = item;
  if (classEntity.matches(item)) return [putItem(classEntity, key, readyClass(item.data))];
  if (objectEntity.matches(item)) return objectPuts(target, item);
  if (userEntity.matches(item)) {
    return userPuts(target, key, { ...item.data, ...target.newKey?.() });
  }
  if (scriptEndpointEntity.matches(item)) {
    return [putItem(scriptEndpointEntity, key, { ...item.data, ...target.newKey?.() })];
  }
  if (pushConfigEntity.matches(item)) {
    return [putItem(pushConfigEntity, key, withoutApplications(item.data))];
  }
  if (scriptSourceEntity.matches(item)) {
    const { file, ...source } = item.data;
    const moved = file === undefined ? source : { ...source, file: movedFile(file, target.data) };
    return [putItem(scriptSourceEntity, key, moved)];
  }
  return [putItem(item, key, item.data)];
}

function objectPuts(target: RestoreTarget, item: Moved & Stored<ObjectData>): readonly Put[] {
  const ofClass = target.classes.get(item.classNumber);
  if (ofClass === undefined) return []; // its class was deleted while the backup was made
  const { compiled } = ofClass;
  const data: ObjectData = { ...movedObject(target, item), epoch: compiled.epoch };
  const unique = { instance: target.data, classNumber: item.classNumber, compiled };
  return [
    { ...putItem(objectEntity, item.key, data), indexes: objectIndexes(compiled, data) },
    ...uniqueKeys(unique, data.values).map((key) =>
      putItem(uniqueEntity, key, { object: data.id }),
    ),
  ];
}

/** Returns the text of a file's key under another data id; any other text as it is. */
function movedFile(text: string, data: number): string {
  const key = readFileKey(text);
  return (key && movedFileKey(key, data)) ?? text;
}

function movedObject(target: RestoreTarget, { data, classNumber }: Moved & Stored<ObjectData>) {
  const values = { ...data.values };
  const ofClass = target.classes.get(classNumber);
  for (const storage of ofClass === undefined ? [] : fileNamesOf(ofClass.data)) {
    const key = values[storage];
    if (typeof key === 'string') values[storage] = movedFile(key, target.data);
  }
  return { ...data, values };
}

function userPuts({ data, platform }: RestoreTarget, key: Key, user: UserData): readonly Put[] {
  return [
    putItem(userEntity, key, user),
    putItem(usernameEntity, usernameEntity.key(data, encodeText(user.username)), { user: user.id }),
    ...(user.email === undefined ? [] : [addressPut(data, user.id, user.email)]),
    ...guestPuts(platform, data, user),
    ...user.groups.map((group) =>
      putItem(membershipEntity, membershipEntity.key(data, group, user.id), { user: user.id }),
    ),
  ];
}

function addressPut(data: number, user: number, email: string): Put {
  return putItem(userAddressEntity, userAddressEntity.key(data, encodeText(email)), { user });
}

/** Returns a configuration whose applications of the push service are created by the next message. */
function withoutApplications(config: PushConfigData): PushConfigData {
  const sides = pushEnvironments.map((name) => [name, { ...config[name], application: null }]);
  return Object.fromEntries(sides) as PushConfigData; // one for each environment
}

const none: ClassSums = { objects: 0, bytes: 0, files: 0, fileBytes: 0 };

/** Adds restored items to the sums of their classes. */
export function addSums(sums: Sums, puts: readonly Put[]): Sums {
  const all: Record<string, ClassSums> = { ...sums };
  for (const { key, kind, data } of puts) {
    const isObject = kind === objectEntity.kind;
    if (!isObject && kind !== fileEntity.kind) continue;
    const name = key.pk.split('#')[3] ?? '';
    const sum = all[name] ?? none;
    all[name] = isObject
      ? { ...sum, objects: sum.objects + 1, bytes: sum.bytes + jsonBytes(data) }
      : {
          ...sum,
          files: sum.files + 1,
          fileBytes: sum.fileBytes + (data as FileData).bytes, // of this kind
        };
  }
  return all;
}
