import type { S3Client } from '@aws-sdk/client-s3';
import { openFiles } from '../../shared/platforms/aws/files.ts';
import type { FileContent, FileStore } from '../../shared/ports/file-store.ts';
import { checkOwned, type FileKey } from '../../shared/values/file-keys.ts';
import { ownedKey } from '../support/has-file.ts';
import type { PendingFiles } from './fake-aws.ts';
import { keysIn, readS3 } from './fake-s3.ts';

/** The files of a deployment, for tests that bypass the interface, or replace functions of the port. */
export interface DeployedFiles {
  /** The files, for a test. A function that it replaces also receives the changes of the deployment's functions. */
  readonly port: FileStore;
  /** Passes a function's change of files through the port. */
  change(pending: PendingFiles): Promise<void>;
}

/** The location of the files. */
interface DeployedFilesOptions {
  readonly client: S3Client;
  readonly bucket: string;
  /** Returns their address, without a slash at the end; it may be known late. */
  readonly address: () => string;
}

/** Opens the files. */
export function openDeployedFiles({
  client,
  bucket,
  address,
}: DeployedFilesOptions): DeployedFiles {
  const own = { ...openFiles({ client, bucket, address: '' }), address };
  const underWay = new Map<FileContent | readonly FileKey[], () => void>();
  const passed = (id: FileContent | readonly FileKey[], otherwise: () => Promise<void>) => {
    const apply = underWay.get(id);
    return apply === undefined ? otherwise() : Promise.resolve(apply());
  };
  const port: FileStore = {
    ...own,
    put: (owner, key, content) => passed(content, () => own.put(owner, key, content)),
    remove: (owner, keys) => passed(keys, () => own.remove(owner, keys)),
  };
  const pass = async <Id extends FileContent | readonly FileKey[]>(
    id: Id,
    apply: () => void,
    send: (id: Id) => Promise<void>,
  ) => {
    underWay.set(id, apply);
    await send(id).finally(() => underWay.delete(id));
  };
  /** Deletes files of one owner: a request that names others, or no file, is an error of the function. */
  const removeEach = async (texts: readonly string[], apply: () => void) => {
    const [first, ...others] = texts.map(ownedKey);
    if (first === undefined) return;
    const keys = [first, ...others].map(({ key }) => key);
    checkOwned(first.owner, ...keys);
    await pass(keys, apply, (each) => port.remove(first.owner, each));
  };
  return {
    port,
    change: async ({ request, apply }) => {
      const { key, action } = readS3(request);
      const { headers, body } = request;
      if (action === 's3:DeleteObject') return removeEach(keysIn(body), apply);
      if (headers['x-amz-copy-source'] !== undefined) return apply();
      const content = { bytes: body, contentType: String(headers['content-type']) };
      const to = ownedKey(key); // throws: no function may write elsewhere
      return pass(content, apply, (each) => port.put(to.owner, to.key, each));
    },
  };
}
