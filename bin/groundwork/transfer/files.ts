import { createWriteStream, existsSync, openAsBlob, renameSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { below } from '../../../shared/values/text/request-path.ts';
import type { InstanceConnection } from '../settings.ts';

/** A value of a file field. */
export interface FileValue {
  readonly type: 'file';
  /** An address; in a folder `files/<name>`. */
  readonly value: string;
  readonly content_type?: string | undefined;
}

/** Downloads a file into the folder, unless it is there. Returns the value that names it. */
export async function downloadFile(folder: string, { value: url }: FileValue): Promise<FileValue> {
  const value = `files/${new URL(url).pathname.split('/').at(-1)}`;
  const path = join(folder, value);
  const response = await fetch(url, { method: existsSync(path) ? 'HEAD' : 'GET' });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  const content_type = response.headers.get('content-type') ?? undefined;
  if (response.body !== null) {
    const draft = `${path}.new`;
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]); // the same, as Node types it
    await pipeline(body, createWriteStream(draft, { mode: 0o600 }));
    renameSync(draft, path);
  }
  return { type: 'file', value, content_type };
}

/** Uploads a file of the folder for an object of a class. Returns the value that names the upload. */
export async function uploadFile(
  { send, base }: InstanceConnection,
  { folder, name }: { readonly folder: string; readonly name: string },
  { value, content_type }: FileValue,
): Promise<string> {
  if (!/^files\/[\w.-]+$/.test(value)) throw new Error(`${value} is not a file of the folder`);
  const filename = value.slice('files/'.length);
  const path = below(base)`classes/${name}/uploads/`;
  const { body: form } = await send({ path, body: { filename, content_type } });
  const data = new FormData();
  for (const [field, text] of Object.entries(form.fields)) data.append(field, String(text));
  data.append('file', await openAsBlob(join(folder, value)), filename);
  const response = await fetch(form.url, { method: 'POST', body: data });
  if (!response.ok) throw new Error(`${value} was not uploaded: ${response.status}`);
  return form.file;
}
