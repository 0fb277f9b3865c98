import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { endWaitingMails } from '../../accounts/mail/queued-mail.ts';
import type { ChangeFilter } from '../../jobs/change-feed.ts';
import { type DataFormat, migrateData } from '../../jobs/data-version.ts';
import type { Platform, Secrets } from '../../ports/ports.ts';
import { NewerData } from '../../table/data-version.ts';
import { openDataFolder } from './files/data-folder.ts';
import {
  type FilesOptions,
  type LocalFiles,
  openFiles,
  openTemporaryFiles,
} from './files/files.ts';
import { openTemporaryFolder } from './files/temporary-folder.ts';
import { type LocalPush, openPush, type PushSettings } from './push/local-push.ts';
import { isOriginal, rememberedMode, rememberMode } from './push/mode.ts';
import { type LocalRequestLog, openRequestLog } from './request-log/request-log.ts';
import { openSecrets, temporarySecrets } from './secrets.ts';
import { StartError } from './server/start-error.ts';
import { checkStoreThere, hasStore, identifyStore } from './store/identity.ts';
import { type LocalStore, openStore, openTemporaryStore } from './store/store.ts';

/** Where the data of a platform are: a folder, or memory. */
export interface Medium {
  readonly folder: string | undefined;
  readonly store: LocalStore;
  readonly secrets: Secrets;
  readonly files: LocalFiles;
  readonly push: LocalPush;
  readonly requestLog: LocalRequestLog;
  close(): Promise<void>;
}

/** What a medium needs. */
export type MediumParts = Pick<FilesOptions, 'nowMs' | 'url' | 'log'> &
  Pick<Platform, 'clock' | 'ids'> & {
    /** Approximate heap for recently used items of the store; 128 MB when absent. */
    readonly cacheBytes: number | undefined;
    readonly logsRequests: boolean | undefined;
    readonly pushing: PushSettings | undefined;
    readonly watches: readonly ChangeFilter[];
    readonly dataFormat: DataFormat;
  };

/**
 * Opens the data folder, or memory without one.
 *
 * @throws StartError when the folder cannot be used; Error when its data cannot be read
 */
export function openMedium(folder: string | undefined, parts: MediumParts): Promise<Medium> {
  return folder === undefined ? openMemory(parts) : openFolder(folder, parts);
}

async function openMemory(shared: MediumParts): Promise<Medium> {
  const store = await openTemporaryStore({ ...shared, now: shared.nowMs });
  const secrets = temporarySecrets();
  const files = await openTemporaryFiles({ ...shared, secrets });
  const push = openPush({ ...shared, store, secrets, folder: undefined }, shared.pushing);
  const requests = openTemporaryFolder('requests');
  const requestLog = await openRequestLog({ ...shared, folder: requests.path });
  return {
    folder: undefined,
    store,
    files,
    push,
    requestLog,
    secrets,
    close: async () => {
      files.close();
      push.close();
      await requestLog.close();
      requests.close();
      await store.close();
    },
  };
}

async function openFolder(path: string, shared: MediumParts): Promise<Medium> {
  const { nowMs } = shared;
  const folder = await openDataFolder(path);
  try {
    const storePath = join(folder.path, 'store');
    const isThere = await hasStore(storePath);
    checkStoreThere(folder, isThere);
    const secrets = await openSecrets(folder.path, { isNew: folder.isNew && !isThere, nowMs });
    await mkdir(storePath, { recursive: true, mode: 0o700 });
    await folder.raiseFormat();
    const store = await openStore({ ...shared, path: storePath, now: nowMs });
    const identity = await closingOnError(store, async () => {
      const id = await identifyStore(folder, { store, ids: shared.ids });
      await migrateFolder(folder.path, { ...shared, store });
      return id;
    });
    const files = await openFiles({
      ...shared,
      secrets,
      folder: join(folder.path, 'files'),
      durable: true,
    });
    const at = { folder: folder.path, store: identity };
    const mode = await closingOnError(store, async () => {
      if (folder.isNew && !isThere) await rememberMode(at, shared.pushing?.mode ?? 'send');
      else if (!(await isOriginal(at))) {
        await endWaitingMails({ ...shared, store });
        await rememberMode(at, 'outbox');
      }
      await folder.markFormat(identity);
      return shared.pushing?.mode ?? rememberedMode(at);
    });
    const outbox = join(folder.path, 'outbox');
    const push = openPush(
      { ...shared, store, secrets, folder: outbox },
      { ...shared.pushing, mode },
    );
    const requests = join(folder.path, 'requests');
    const requestLog = await openRequestLog({ ...shared, folder: requests });
    return {
      folder: folder.path,
      store,
      files,
      push,
      requestLog,
      secrets,
      close: async () => {
        files.close();
        push.close();
        await requestLog.close();
        await store.close();
        await folder.release();
      },
    };
  } catch (error) {
    await folder.release();
    throw error;
  }
}

/** Closes the store if `use` fails: a test may open the folder again in the same process. */
async function closingOnError<Result>(
  store: LocalStore,
  use: () => Promise<Result>,
): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Starts the migrations of a folder's data. */
async function migrateFolder(
  path: string,
  { dataFormat, ...services }: MediumParts & Pick<Platform, 'store'>,
): Promise<void> {
  try {
    await migrateData(services, dataFormat);
  } catch (error) {
    if (!(error instanceof NewerData)) throw error;
    throw new StartError(`the data in ${path} is of a newer version (${error.message})`);
  }
}
