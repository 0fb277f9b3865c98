import { type Decoder, decoderOf } from '../../../values/text/decode-text.ts';
import { withoutFolders } from '../../../values/text/file-name.ts';

/** Values from the headers of a part of `multipart/form-data`. */
export interface PartHead {
  readonly field: string;
  /** Without folders; undefined when the part has none, as a field of text has. */
  readonly filename: string | undefined;
  /** With its parameters, as sent; `text/plain` when the part has none. */
  readonly contentType: string;
}

/** Headers of a part by their names in small letters; one character of a value per byte. */
export type PartHeaders = Readonly<Record<string, readonly string[]>>;

/** Decodes the bytes of a name. */
export type DecodeName = (bytes: Uint8Array, decoder: Decoder) => string;

/**
 * Reads the headers of a part (RFC 7578).
 *
 * @returns undefined for a part that is no part of a form: it has no name
 */
export function readPartHead(headers: PartHeaders, decode: DecodeName): PartHead | undefined {
  const disposition = headers['content-disposition']?.[0] ?? '';
  if (!/^form-data\s*(;|$)/i.test(disposition)) return undefined;
  const parameters = readParameters(disposition, decode);
  const field = parameters.get('name');
  if (field === undefined || /[\r\n]/.test(field)) return undefined;
  const filename = parameters.get('filename*') ?? parameters.get('filename');
  return {
    field,
    filename: filename === undefined ? undefined : withoutFolders(filename),
    contentType: headers['content-type']?.[0]?.trim() || 'text/plain',
  };
}

const parameterForm = /;\s*([\w-]+\*?)\s*=\s*(?:"((?:\\"|[^"])*)"|([^;\s]*))/g;

function readParameters(disposition: string, decode: DecodeName): Map<string, string> {
  const parameters = new Map<string, string>();
  const utf8 = decoderOf(undefined);
  if (utf8 === undefined) throw new Error('UTF-8 is always there');
  for (const [, name = '', quoted, bare = ''] of disposition.matchAll(parameterForm)) {
    const key = name.toLowerCase();
    // browsers do not escape a backslash, which is part of an old one's path: only that of a quote is an escape
    const sent = quoted?.replaceAll('\\"', '"') ?? bare;
    const [bytes, decoder] = key.endsWith('*')
      ? readExtended(sent)
      : [Buffer.from(sent, 'latin1'), utf8];
    parameters.set(key, decode(bytes, decoder ?? utf8));
  }
  return parameters;
}

/** Reads the extended form of a value, `UTF-8''%e2%82%ac` (RFC 8187). */
function readExtended(sent: string): readonly [Uint8Array, Decoder | undefined] {
  const [charset = '', , ...rest] = sent.split("'");
  const byte = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  const text = rest.join("'").replace(/%([\da-f]{2})/gi, byte);
  return [Buffer.from(text, 'latin1'), decoderOf(charset || undefined)];
}
