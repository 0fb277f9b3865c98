import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalFiles } from '../../shared/platforms/local/files/files.ts';
import type { FileStore } from '../../shared/ports/file-store.ts';
import {
  type FileArea,
  type FileFolder,
  type FileOwner,
  observeFileKeys,
} from '../../shared/values/file-keys.ts';

/*
 * A file store that knows for whom each call is made. It compares every write and deletion with its own list of what an
 * owner has: it must find what passes by a mistake in the key module (docs/internals/file-keys.md).
 */

/** What the files of a test are recorded by. */
export interface FileRecorder {
  /** Wraps the files of a platform. A call that breaks the law is not passed on. */
  readonly wrap: (files: LocalFiles) => LocalFiles;
  /** Returns what broke the law since the last call. */
  take(): readonly string[];
  /** @throws Error when something has broken the law */
  check(): void;
}

/** The areas of each kind of owner, and what a key has below the owner. */
const owned: Readonly<Record<FileOwner['kind'], readonly FileArea[]>> = {
  data: ['public', 'private', 'thumbs', 'uploads', 'scripts', 'traces'],
  account: ['backups'],
  deployment: ['dead-letters'],
};

/** Every key that the key module has made in this process. */
const issued = new Set<string>();
observeFileKeys((key) => issued.add(key));

/**
 * Opens a recorder.
 *
 * @param folder data folder: the files in it are known
 */
export function openFileRecorder(folder?: string): FileRecorder {
  const known = new Set(folder === undefined ? [] : keysIn(folder));
  let broken: string[] = [];
  const isKnown = (key: string) => issued.has(key) || known.has(key);
  const judge = (call: string, owner: FileOwner, keys: readonly unknown[]) => {
    const found = keys.flatMap((key) => offenceOf(owner, key, isKnown));
    if (found.length === 0) return;
    const lines = found.map((offence) => `${call} for ${JSON.stringify(owner)}: ${offence}`);
    broken = [...broken, ...lines];
    throw new Error(lines.join('; '));
  };
  const judgeFolder = (folder: FileFolder) => {
    const { area, owner, numbers } = folder;
    const isOwn = owned[owner.kind].includes(area) && owner.kind !== 'deployment';
    const isFolder = isOwn && Number.isInteger(owner.id) && numbers.every(Number.isInteger);
    if (isFolder) return;
    const line = `removeAll of ${JSON.stringify(folder)}`;
    broken = [...broken, line];
    throw new Error(line);
  };
  return {
    wrap: (files) => recorded(files, judge, judgeFolder),
    take: () => {
      const taken = broken;
      broken = [];
      return taken;
    },
    check: () => {
      if (broken.length > 0) throw new Error(`files of others: ${broken.join('\n')}`);
    },
  };
}

function recorded(
  files: LocalFiles,
  judge: (call: string, owner: FileOwner, keys: readonly unknown[]) => void,
  judgeFolder: (folder: FileFolder) => void,
): LocalFiles {
  const changes: Pick<FileStore, 'put' | 'copy' | 'remove' | 'removeAll' | 'openUpload'> = {
    put: async (owner, key, file) => {
      judge('put', owner, [key]);
      await files.put(owner, key, file);
    },
    copy: async (from, to) => {
      judge('copy from', from.owner, [from.key]);
      judge('copy to', to.owner, [to.key]);
      return files.copy(from, to);
    },
    remove: async (owner, keys) => {
      judge('remove', owner, keys);
      await files.remove(owner, keys);
    },
    removeAll: async (folder) => {
      judgeFolder(folder);
      await files.removeAll(folder);
    },
    openUpload: async (owner, key, terms) => {
      judge('upload', owner, [key]);
      return files.openUpload(owner, key, terms);
    },
  };
  return {
    ...files,
    ...changes,
    receive: async (upload, contentType, parts) => {
      judge('receive', upload.owner, [upload.key]);
      await files.receive(upload, contentType, parts);
    },
  };
}

/** Returns what is wrong about a key, without the module that makes keys; empty when nothing is. */
function offenceOf(
  owner: FileOwner,
  key: unknown,
  isKnown: (key: string) => boolean,
): readonly string[] {
  if (typeof key !== 'string') return ['no text'];
  const [area = '', id = '', ...rest] = key.split('/');
  const isArea = owned[owner.kind].some((each) => each === area);
  const isOwn = isArea && (owner.kind === 'deployment' ? rest.length === 0 : id === `${owner.id}`);
  if (!isOwn) return [`${key} is not the owner's`];
  const name = owner.kind === 'deployment' ? id : (rest.at(-1) ?? '');
  if (!/^([0-9a-f]{20,40}(\.[a-z0-9]+)?(_\d+x\d+)?|manifest|\d+)$/.test(name))
    return [`${key} is a folder`];
  return isKnown(key) ? [] : [`${key} was never made`];
}

/** Lists the keys in a data folder. */
function keysIn(folder: string): readonly string[] {
  const content = join(folder, 'files/content');
  if (!existsSync(content)) return [];
  const names = readdirSync(content, { recursive: true }).map(String);
  return names.map((name) => name.split('\\').join('/'));
}
