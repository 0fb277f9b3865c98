import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extendedParameter } from '../../../shared/values/text/file-name.ts';
import { below } from '../../../shared/values/text/request-path.ts';
import type { ProjectFiles } from '../project-files.ts';
import type { InstanceConnection } from '../settings.ts';

/** A value of a file field. */
export interface TransferFile {
  readonly type: 'file';
  /** An address; in a folder `files/<name>`. */
  readonly value: string;
  readonly content_type?: string | undefined;
  /** Name with which it is downloaded; absent for a file without one. */
  readonly filename?: string | undefined;
}

/** Downloads a file into the folder, unless it is there. Returns the value that names it. */
export async function downloadFile(
  files: ProjectFiles,
  { value: url }: TransferFile,
): Promise<TransferFile> {
  const value = `files/${new URL(url).pathname.split('/').at(-1)}`;
  const isThere = files.has(value);
  const isSigned = url.includes('?'); // for GET alone
  const response = await fetch(url, { method: isThere && !isSigned ? 'HEAD' : 'GET' });
  if (!response.ok) throw new Error(`${url.replace(/\?.*/, '')}: ${response.status}`); // without its signature
  const content_type = response.headers.get('content-type') ?? undefined;
  const disposition = response.headers.get('content-disposition') ?? '';
  const filename = extendedParameter(disposition, 'filename');
  if (response.body !== null) {
    const draft = `${value}.new`;
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]); // the same, as Node types it
    await pipeline(body, createWriteStream('', { fd: files.create(draft, { mode: 0o600 }) }));
    files.rename(draft, value);
  }
  return { type: 'file', value, content_type, filename };
}

/** Uploads a file of the folder for an object of a class. Returns the value that names the upload. */
export async function uploadFile(
  { send, base }: InstanceConnection,
  { files, name }: { readonly files: ProjectFiles; readonly name: string },
  { value, content_type, filename = value.slice('files/'.length) }: TransferFile,
): Promise<string> {
  if (!/^files\/[\w.-]+$/.test(value)) throw new Error(`${value} is not a file of the folder`);
  const path = below(base)`classes/${name}/uploads/`;
  const content = files.read(value); // 128 MB at most, as the server accepts
  if (content === undefined) throw new Error(`${value} is not in the folder`);
  const { body: form } = await send({ path, body: { filename, content_type } });
  const data = new FormData();
  for (const [field, text] of Object.entries(form.fields)) data.append(field, String(text));
  data.append('file', new Blob([new Uint8Array(content)]), filename);
  const response = await fetch(form.url, { method: 'POST', body: data });
  if (!response.ok) throw new Error(`${value} was not uploaded: ${response.status}`);
  return form.file;
}
