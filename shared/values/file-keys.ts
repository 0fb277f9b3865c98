/*
 * Keys of files. A key is `<area>/<owner>/[<numbers>/]<name>`. Only this module makes keys, and only the extension of a
 * name, of small letters and digits, is a client's text: so a key cannot lead elsewhere or be guessed, and all files of
 * a class or an instance are deleted by their folder (docs/internals/file-keys.md).
 */

/** Owner of files: contents of an instance by their data id, an account, or the deployment. */
export type FileOwner =
  | { readonly kind: 'data'; readonly id: number }
  | { readonly kind: 'account'; readonly id: number }
  | { readonly kind: 'deployment' };

/** Form of the keys of an area. */
interface AreaForm {
  readonly owner: FileOwner['kind'];
  /** Numbers between the owner and the name. */
  readonly numbers: number;
  /** Pattern of the name. */
  readonly name: string;
}

const number = '(?:0|[1-9]\\d{0,9})';
const random = '[0-9a-f]{40}';
const named = `${random}(?:\\.[a-z0-9]{1,15})?`;
const archived = `files/(?:public|private)/${number}/${named}|files/scripts/${number}/${random}`;

/** All areas of files. A new one is a line here. */
const areas = {
  /** Files of objects, by class, which are readable by anyone with the URL. */
  public: { owner: 'data', numbers: 1, name: named },
  /** Files of private fields, by class: they are served at signed addresses only. */
  private: { owner: 'data', numbers: 1, name: named },
  /** Smaller pictures of the files of both areas: the name of the file and the size, which no client can name. */
  thumbs: { owner: 'data', numbers: 1, name: `${named}_${number}x${number}` },
  /** Large uploads by class and user, not yet in an object; user 0 stands for callers without user. */
  uploads: { owner: 'data', numbers: 2, name: named },
  /** Large sources of scripts, by script. */
  scripts: { owner: 'data', numbers: 1, name: random },
  /** Large values of traces. */
  traces: { owner: 'data', numbers: 0, name: random },
  /** Archives of backups, by backup. */
  backups: { owner: 'account', numbers: 1, name: `manifest|items/${number}|${archived}` },
  /** Large data of dead letters, by the id of the letter. */
  'dead-letters': { owner: 'deployment', numbers: 0, name: '[0-9a-f]{20,32}' },
} as const satisfies Readonly<Record<string, AreaForm>>;

/** An area of files. */
export type FileArea = keyof typeof areas;

declare const isFileKey: unique symbol;

/** The whole key of one file, made or read by this module. */
export type FileKey = string & { readonly [isFileKey]: true };

/** A key, and the owner on whose behalf its file is used. */
export interface OwnedKey {
  readonly owner: FileOwner;
  readonly key: FileKey;
}

/** The files of an owner in an area; with numbers, those of a class, a script or a backup. */
export interface FileFolder {
  readonly area: FileArea;
  readonly owner: FileOwner;
  readonly numbers: readonly number[];
}

/** Returns the owner of the contents under a data id. */
export function dataOwner(data: number): FileOwner {
  return { kind: 'data', id: data };
}

/** Returns an account as the owner of its backups. */
export function accountOwner(account: number): FileOwner {
  return { kind: 'account', id: account };
}

/** Owner of files that belong to no tenant. */
export const deploymentOwner: FileOwner = { kind: 'deployment' };

/** Returns the folder of the public files of objects: of an instance, or of a class. */
export function objectFiles(data: number, classNumber?: number): FileFolder {
  const numbers = classNumber === undefined ? [] : [classNumber];
  return { area: 'public', owner: dataOwner(data), numbers };
}

/** Returns the folder of the private files of objects: of an instance, or of a class. */
export function privateFiles(data: number, classNumber?: number): FileFolder {
  return { ...objectFiles(data, classNumber), area: 'private' };
}

/** Returns the folder of the smaller pictures of files of objects: of an instance, or of a class. */
export function thumbFiles(data: number, classNumber?: number): FileFolder {
  return { ...objectFiles(data, classNumber), area: 'thumbs' };
}

/** Returns the key of a smaller picture of a file of an object; `size` is `<width>x<height>`. */
export function thumbKey(original: FileKey, size: string): FileKey {
  return made(thumbFolderOf(original), `${nameOf(original)}_${size}`);
}

/** Returns the beginning of the keys of all smaller pictures of a file of an object. */
export function thumbPrefix(original: FileKey): string {
  return `${prefixOf(thumbFolderOf(original))}${nameOf(original)}_`;
}

function thumbFolderOf(original: FileKey): FileFolder {
  return { ...folderOf(original), area: 'thumbs' };
}

function nameOf(key: FileKey): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/** Returns the folder of large uploads to a class. By a user, or by callers without one. */
export function uploadedFiles(
  data: number,
  classNumber: number,
  user: number | undefined,
): FileFolder {
  return { area: 'uploads', owner: dataOwner(data), numbers: [classNumber, user ?? 0] };
}

/** Returns the folder of large sources: of an instance, or of a script. */
export function sourceFiles(data: number, script?: number): FileFolder {
  const numbers = script === undefined ? [] : [script];
  return { area: 'scripts', owner: dataOwner(data), numbers };
}

/** Returns the folder of large values of an instance's traces. */
export function traceFiles(data: number): FileFolder {
  return { area: 'traces', owner: dataOwner(data), numbers: [] };
}

/** Returns the folder of the archive of a backup. */
export function archiveFiles(account: number, backup: number): FileFolder {
  return { area: 'backups', owner: accountOwner(account), numbers: [backup] };
}

const letterFiles: FileFolder = { area: 'dead-letters', owner: deploymentOwner, numbers: [] };

/**
 * Makes the key of a new file.
 *
 * @param ids source of at least 20 random hex digits
 * @param filename its extension is kept if a URL need not escape it; none when absent
 */
export function newFileKey(folder: FileFolder, ids: { random(): string }, filename = ''): FileKey {
  const extension = extensionOf(filename).toLowerCase();
  const kept = /^\.[a-z0-9]{1,15}$/.test(extension) ? extension : '';
  return made(folder, `${(ids.random() + ids.random()).slice(0, 40)}${kept}`);
}

/** Makes the key of the data of a dead letter. */
export function letterFileKey(letter: string): FileKey {
  return made(letterFiles, letter);
}

/** Makes the key of the manifest of an archive. */
export function manifestKey(archive: FileFolder): FileKey {
  return made(archive, 'manifest');
}

/** Makes the key of a chunk of items of an archive. */
export function chunkKey(archive: FileFolder, chunk: number): FileKey {
  return made(archive, `items/${chunk}`);
}

/** Makes the key of the copy of a file in an archive; undefined for a key of no file of contents. */
export function archivedFileKey(archive: FileFolder, key: FileKey): FileKey | undefined {
  const contents = contentsOf(key);
  return contents && made(archive, `files/${contents.area}/${contents.rest}`);
}

/** Makes the key of a file of contents under another data id; undefined for a key of no file of contents. */
export function movedFileKey(key: FileKey, data: number): FileKey | undefined {
  const contents = contentsOf(key);
  if (contents === undefined) return undefined;
  return made({ area: contents.area, owner: dataOwner(data), numbers: [] }, contents.rest);
}

/** Returns area and rest of the key of a file that is a part of an instance's contents. */
function contentsOf(key: FileKey) {
  const [area, , ...rest] = key.split('/');
  const isKept = area === 'public' || area === 'private' || area === 'scripts';
  return isKept ? ({ area, rest: rest.join('/') } as const) : undefined;
}

type KeyObserver = (key: FileKey) => void;
let observer: KeyObserver | undefined;

/** Passes all keys that are made from now on to an observer. For tests, which compare them with those in use. */
export function observeFileKeys(observe: KeyObserver): void {
  observer = observe;
}

function made(folder: FileFolder, name: string): FileKey {
  const key = readFileKey(`${prefixOf(folder)}${name}`);
  if (key === undefined) throw new Error(`a name that no file of ${folder.area} may have`);
  observer?.(key);
  return key;
}

const ownerSegment: Readonly<Record<FileOwner['kind'], string>> = {
  data: '(0|[1-9]\\d{0,15})/',
  account: '(0|[1-9]\\d{0,15})/',
  deployment: '()',
};

const patterns: ReadonlyMap<string, RegExp> = new Map(
  Object.entries(areas).map(([area, { owner, numbers, name }]) => {
    const below = `${number}/`.repeat(numbers);
    return [area, new RegExp(`^${area}/${ownerSegment[owner]}${below}(?:${name})$`)];
  }),
);

/** Reads a whole key of one file, of any area and owner; undefined for any other text. */
export function readFileKey(text: string): FileKey | undefined {
  const matched = patterns.get(text.slice(0, text.indexOf('/')))?.exec(text);
  const isKey = matched != null && Number.isSafeInteger(Number(matched[1]));
  return isKey ? (text as FileKey) : undefined; // it matches the whole pattern
}

/** Reads the key of a public file without its area, as addresses have it; undefined for any other text. */
export function readPublicKey(text: string): FileKey | undefined {
  return readFileKey(`public/${text}`);
}

/** Reads the key of a file of an area of one owner; undefined for any other text. */
export function readKeyOf(owner: FileOwner, area: FileArea, text: string): FileKey | undefined {
  const key = readFileKey(text);
  return key !== undefined && areaOf(key) === area && isOwnedBy(owner, key) ? key : undefined;
}

/**
 * Returns the key that a record refers to.
 *
 * @throws Error when it is not the key of a file of the area and owner
 */
export function storedKeyOf(owner: FileOwner, area: FileArea, text: string): FileKey {
  const key = readKeyOf(owner, area, text);
  if (key === undefined) throw new ForeignFile(area);
  return key;
}

/** A text that is not a whole key of a file of its owner: nothing is read, written or deleted. */
export class ForeignFile extends Error {
  constructor(what: string) {
    super(`not a file key of its owner (${what})`);
    this.name = 'ForeignFile';
  }
}

/** Returns the area of a file. */
export function areaOf(key: FileKey): FileArea {
  return key.slice(0, key.indexOf('/')) as FileArea; // of a key
}

/** Returns the owner of a file. Code that acts for an owner names that one instead. */
export function ownerOfFile(key: FileKey): FileOwner {
  return folderOf(key).owner;
}

/** Returns the folder of a file. */
export function folderOf(key: FileKey): FileFolder {
  const area = areaOf(key);
  const { owner: kind, numbers } = areas[area];
  const [id = 0, ...more] = key.split('/').slice(1).map(Number);
  if (kind === 'deployment') return letterFiles;
  return { area, owner: { kind, id }, numbers: more.slice(0, numbers) };
}

/** Returns the number of the class of a file of an object. */
export function classOfFile(key: FileKey): number {
  return folderOf(key).numbers[0] ?? 0;
}

function isOwnedBy(owner: FileOwner, key: FileKey): boolean {
  return isSameOwner(owner, ownerOfFile(key));
}

function isSameOwner(one: FileOwner, other: FileOwner): boolean {
  if (one.kind === 'deployment' || other.kind === 'deployment') return one.kind === other.kind;
  return one.kind === other.kind && one.id === other.id;
}

/**
 * Checks keys at the border of a file store, whatever their type says.
 *
 * @throws ForeignFile when one of them is not the whole key of a file of the owner
 */
export function checkOwned(owner: FileOwner, ...keys: readonly string[]): void {
  for (const text of keys) {
    const key = typeof text === 'string' ? readFileKey(text) : undefined;
    if (key === undefined || !isOwnedBy(owner, key)) throw new ForeignFile(owner.kind);
  }
}

/**
 * Returns the prefix of the keys of a tenant's folder, with its last slash.
 *
 * @throws ForeignFile when the folder has another owner than the area, or parts that are no numbers
 */
export function folderPrefix(folder: FileFolder): string {
  if (folder.owner.kind === 'deployment') throw new ForeignFile(folder.area);
  return prefixOf(folder);
}

function prefixOf({ area, owner, numbers }: FileFolder): string {
  const form: AreaForm | undefined = Object.hasOwn(areas, area) ? areas[area] : undefined;
  const id = owner.kind === 'deployment' ? [] : [owner.id];
  const parts = [...id, ...numbers];
  const isFolder = form?.owner === owner.kind && numbers.length <= form.numbers;
  if (!isFolder || !parts.every(isId)) throw new ForeignFile('folder');
  return [area, ...parts, ''].join('/');
}

function isId(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Returns the extension of a filename with its dot, as typed; empty when absent. */
export function extensionOf(filename: string): string {
  return /[^.](\.[^.]*)$/.exec(filename)?.[1] ?? '';
}

/** Checks whether a file is in a folder. */
export function isIn(folder: FileFolder, key: FileKey): boolean {
  return key.startsWith(prefixOf(folder));
}
