import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { uploadIdleMs } from '../../../values/bounds.ts';
import { dataMessages } from '../../../values/errors/data-messages.ts';
import { ApiError, forbidden, refused, tooLarge } from '../../../values/errors/errors.ts';
import { arrivedTooSlowly } from '../server/broken-request.ts';
import type { LocalFiles } from './files.ts';

/** The files, and the forms that allow uploads. */
type UploadFiles = Pick<LocalFiles, 'forms' | 'receive'>;

/**
 * Receives an upload outside the interface: a form with its presigned fields, and the file last. The file is written to
 * the disk as it arrives.
 *
 * @returns the error when nothing was stored; undefined when it was
 * @throws any error of the disk
 */
export async function receiveUpload(
  files: UploadFiles,
  message: IncomingMessage,
): Promise<ApiError | undefined> {
  const parser = openParser(message);
  if (parser === undefined) return noForm();
  try {
    await parse(parser, files, message);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    message.unpipe(parser);
    return error;
  }
}

/** Limits of the parts before the file, which are held in memory. */
const limits = { parts: 20, files: 1, fields: 8, fieldSize: 8192 };

function openParser({ headers }: IncomingMessage): BusboyInstance | undefined {
  const contentType = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b.*\bboundary=/i.test(contentType)) return undefined;
  return new Busboy({ headers: { 'content-type': contentType }, limits });
}

function parse(
  parser: BusboyInstance,
  files: UploadFiles,
  message: IncomingMessage,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = {};
    let stored: Promise<void> | undefined;
    parser.on('field', (name, value) => {
      fields[name] = value;
    });
    parser.on('file', (_field, stream) => {
      stream.on('error', () => undefined); // its reader gets the error, even if it starts reading later
      stored = store(files, fields, stream);
      stored.catch(reject);
      whenBroken(message, () => stream.destroy(noForm())); // or it waits for the rest forever
    });
    parser.on('error', () => reject(noForm()));
    parser.on('finish', () => (stored === undefined ? reject(noForm()) : resolve(stored)));
    whenBroken(message, () => reject(noForm()));
    whenIdle(message, () => {
      reject(refused(408, arrivedTooSlowly, 'request_timeout'));
      message.destroy();
    });
    message.pipe(parser);
  });
}

/** Runs `act` when the client disconnects before it has sent everything. */
function whenBroken(message: IncomingMessage, act: () => void): void {
  message.once('close', () => {
    if (!message.complete) act();
  });
}

/** Runs `act` when nothing arrives for a while although the receiver is ready. */
function whenIdle(message: IncomingMessage, act: () => void): void {
  const timer = setTimeout(act, uploadIdleMs);
  message.on('data', () => timer.refresh());
  message.once('close', () => clearTimeout(timer));
  message.once('end', () => clearTimeout(timer));
}

async function store(
  files: UploadFiles,
  fields: Readonly<Record<string, string>>,
  stream: AsyncIterable<Uint8Array>,
): Promise<void> {
  const allowed = files.forms.read(fields);
  if (allowed === undefined) throw forbidden('upload_denied');
  await files.receive(allowed, allowed.contentType, within(stream, allowed.maxBytes));
}

/** Passes a stream on; throws when it is too long or empty. */
async function* within(stream: AsyncIterable<Uint8Array>, maxBytes: number) {
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield part;
  }
  if (bytes === 0) throw refused(400, dataMessages.emptyFile, 'invalid_input');
}

function noForm(): ApiError {
  const text = 'Multipart form parse error - no file after the fields of an upload';
  return refused(400, text, 'malformed_body');
}
