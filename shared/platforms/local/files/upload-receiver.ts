import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { maxPartHeaderBytes, maxPartHeaderLines } from '../../../values/bounds.ts';
import { dataMessages } from '../../../values/errors/data-messages.ts';
import {
  ApiError,
  detailError,
  forbidden,
  serverBusy,
  tooLarge,
} from '../../../values/errors/errors.ts';
import type { ArrivingForm, ReadForm } from '../server/bodies/receive-form.ts';
import type { LocalFiles } from './files.ts';

/** The files, and the forms that allow uploads. */
type UploadFiles = Pick<LocalFiles, 'forms' | 'receive'>;

/** The body of a request, which the receiver of the server has. */
export interface FormBody {
  readonly contentType: string | undefined;
  readonly receiveForm: (read: ReadForm) => Promise<ApiError | undefined>;
}

/**
 * Receives an upload outside the interface: a form with its presigned fields, and the file last. The file is written to
 * the disk as it arrives.
 *
 * @returns the error when nothing was stored; undefined when it was
 * @throws any error of the disk
 */
export async function receiveUpload(
  files: UploadFiles,
  { contentType, receiveForm }: FormBody,
): Promise<ApiError | undefined> {
  const parser = openParser(contentType ?? '');
  if (parser === undefined) return noForm();
  return receiveForm(async (form) => {
    try {
      await parse(parser, files, form);
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return error;
    }
  });
}

/** Limits of the parts before the file, which are held in memory. */
const limits = {
  parts: 20,
  files: 1,
  fields: 8,
  fieldSize: 8192,
  headerPairs: maxPartHeaderLines,
  headerSize: maxPartHeaderBytes,
};

/** Opens a parser of a form; undefined for any other content type, or a boundary that it does not accept. */
function openParser(contentType: string): BusboyInstance | undefined {
  if (!/^multipart\/form-data\b.*\bboundary=/i.test(contentType)) return undefined;
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits });
  } catch {
    return undefined; // no boundary, or one of more than 256 characters
  }
}

function parse(parser: BusboyInstance, files: UploadFiles, form: ArrivingForm): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = {};
    let stored: Promise<void> | undefined;
    let endFile: (error: ApiError) => void = () => undefined;
    parser.on('field', (name, value) => {
      fields[name] = value;
    });
    parser.on('file', (_field, stream) => {
      stream.on('error', () => undefined); // its reader gets the error, even if it starts reading later
      endFile = (error) => stream.destroy(error); // or it waits for the rest forever
      stored = store(files, fields, { stream, form });
      stored.catch(reject);
    });
    parser.on('error', () => reject(noForm()));
    parser.on('finish', () => (stored === undefined ? reject(noForm()) : resolve(stored)));
    form.pour(parser, (why) => {
      const error = why === 'gone' ? noForm() : why;
      endFile(error);
      reject(error);
    });
  });
}

interface ArrivingFile {
  readonly stream: AsyncIterable<Uint8Array>;
  readonly form: ArrivingForm;
}

async function store(
  files: UploadFiles,
  fields: Readonly<Record<string, string>>,
  { stream, form }: ArrivingFile,
): Promise<void> {
  const allowed = files.forms.read(fields);
  if (allowed === undefined) throw forbidden('upload_denied');
  const { owner, contentType, maxBytes } = allowed;
  const uploader = owner.kind === 'data' ? `instance ${owner.id}` : owner.kind;
  if (!(await form.admit({ owner: uploader, maxBytes }))) throw serverBusy(1);
  await files.receive(allowed, contentType, within(stream, maxBytes));
}

/** Passes a stream on; throws when it is too long or empty. */
async function* within(stream: AsyncIterable<Uint8Array>, maxBytes: number) {
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield part;
  }
  if (bytes === 0) throw detailError(400, dataMessages.emptyFile, 'invalid_input');
}

function noForm(): ApiError {
  const text = 'Multipart form parse error - no file after the fields of an upload';
  return detailError(400, text, 'malformed_body');
}
