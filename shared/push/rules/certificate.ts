import { read, reject, type ValueResult } from '../../values/scalars.ts';
import { mediaType } from '../../values/text/media-type.ts';
import { timestamp } from '../../values/timestamp.ts';
import type { Upload } from '../../values/uploads.ts';
import type { OpenedPkcs12 } from './pkcs12.ts';
import type { PushEnvironment } from './provider.ts';

/** Certificate of Apple's push service, extracted from a `.p12` file. */
export interface PushCertificate {
  /** Both in PEM. */
  readonly certificate: string;
  readonly key: string;
  /** Bundle identifier of its app. */
  readonly bundle: string;
  /** Expiration time, in the format of timestamps. */
  readonly expires: string;
}

const maxBytes = 209_712; // docs/reference/push.md#config
const types = ['application/x-pkcs12', 'application/pkcs12', 'application/octet-stream'];
const namePattern = /^Apple (?:(Production|Development) IOS )?Push Services: (.+)$/i;

/** Inputs for reading an upload. */
export interface CertificateReading {
  readonly environment: PushEnvironment;
  readonly nowMs: number;
  /** Opens a `.p12` file without pass phrase; undefined when it cannot be read. */
  readonly open: (bytes: Uint8Array) => Promise<OpenedPkcs12 | undefined>;
}

/** Reads an uploaded `.p12` file without pass phrase (docs/reference/push.md#config). */
export async function readCertificate(
  { contentType, bytes }: Upload,
  { environment, nowMs, open }: CertificateReading,
): Promise<ValueResult<PushCertificate>> {
  if (!types.includes(mediaType(contentType))) {
    return reject('Invalid content type. Please upload different file.');
  }
  if (bytes.byteLength > maxBytes) return reject(`Please keep filesize under ${maxBytes}.`);
  const opened = await open(bytes);
  if (opened === undefined) return reject('Invalid file.');
  const { name, endsMs, certificate, key } = opened;
  if (name === '') return reject('Empty friendlyname date.');
  const [, kind, bundle] = namePattern.exec(name) ?? [];
  if (bundle === undefined) return reject(`Invalid friendly name: "${name}".`);
  if (Number.isNaN(endsMs)) return reject('Empty expiration date.');
  if (kind !== undefined && kind.toLowerCase() !== environment) {
    return reject(
      `Incorrect certificate type. Upload appropriate ${environment} certificate file.`,
    );
  }
  const expires = timestamp(endsMs * 1000);
  if (endsMs <= nowMs) return reject(`Your certificate has expired: "${expires}".`);
  return read({ certificate, key, bundle: bundle.trim(), expires });
}
