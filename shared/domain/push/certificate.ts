import type { pkcs12, pki } from 'node-forge';
import { type Reading, read, refuse } from '../scalars.ts';
import { timestamp } from '../timestamp.ts';
import type { Upload } from '../uploads.ts';
import type { PushEnvironment } from './provider.ts';

/** A certificate of Apple's push service, taken out of a `.p12` file. */
export interface PushCertificate {
  /** Both in PEM. */
  readonly certificate: string;
  readonly key: string;
  /** Bundle identifier of the app that it is for. */
  readonly bundle: string;
  /** When it ends, as timestamps are shown. */
  readonly expires: string;
}

const maxBytes = 209_712; // reference: push, config
const types = ['application/x-pkcs12', 'application/pkcs12', 'application/octet-stream'];
const namePattern = /^Apple (?:(Production|Development) IOS )?Push Services: (.+)$/i;

/**
 * Reads an uploaded `.p12` file without pass phrase (reference: push, config).
 *
 * @param nowMs epoch milliseconds
 */
export async function readCertificate(
  { contentType, bytes }: Upload,
  environment: PushEnvironment,
  nowMs: number,
): Promise<Reading<PushCertificate>> {
  if (!types.includes(contentType)) {
    return refuse('Invalid content type. Please upload different file.');
  }
  if (bytes.byteLength > maxBytes) return refuse(`Please keep filesize under ${maxBytes}.`);
  const opened = await openFile(bytes);
  if (opened === undefined) return refuse('Invalid file.');
  const { name, notAfter, certificate, key } = opened;
  if (name === '') return refuse('Empty friendlyname date.');
  const [, kind, bundle] = namePattern.exec(name) ?? [];
  if (bundle === undefined) return refuse(`Invalid friendly name: "${name}".`);
  if (Number.isNaN(notAfter.getTime())) return refuse('Empty expiration date.');
  if (kind !== undefined && kind.toLowerCase() !== environment) {
    return refuse(
      `Incorrect certificate type. Upload appropriate ${environment} certificate file.`,
    );
  }
  const expires = timestamp(notAfter.getTime() * 1000);
  if (notAfter.getTime() <= nowMs) return refuse(`Your certificate has expired: "${expires}".`);
  return read({ certificate, key, bundle: bundle.trim(), expires });
}

interface Opened {
  /** Empty when there is none. */
  readonly name: string;
  readonly notAfter: Date;
  readonly certificate: string;
  readonly key: string;
}

/** What is in the file; undefined when it cannot be read or lacks a part. */
async function openFile(bytes: Uint8Array): Promise<Opened | undefined> {
  const { default: forge } = await import('node-forge'); // hardly any call needs it
  const { asn1, pkcs12, pki, util } = forge;
  try {
    const der = util.createBuffer(Buffer.from(bytes).toString('binary'));
    const file = pkcs12.pkcs12FromAsn1(asn1.fromDer(der), false, '');
    const certificates = bagsOf(file, pki.oids.certBag);
    const bag = certificates.find((each) => nameOf(each) !== '') ?? certificates[0];
    const key = [pki.oids.pkcs8ShroudedKeyBag, pki.oids.keyBag]
      .flatMap((type) => bagsOf(file, type))
      .find((each) => each.key)?.key;
    if (!bag?.cert || !key) return undefined;
    return {
      name: nameOf(bag),
      notAfter: bag.cert.validity.notAfter,
      certificate: pki.certificateToPem(bag.cert),
      key: pki.privateKeyInfoToPem(
        pki.wrapRsaPrivateKey(pki.privateKeyToAsn1(key as pki.rsa.PrivateKey)),
      ),
    };
  } catch {
    return undefined; // the library says in many ways that it cannot read a file
  }
}

function bagsOf(file: pkcs12.Pkcs12Pfx, bagType: string | undefined): readonly pkcs12.Bag[] {
  return bagType === undefined ? [] : (file.getBags({ bagType })[bagType] ?? []);
}

function nameOf({ attributes }: pkcs12.Bag): string {
  const names: unknown = attributes.friendlyName;
  return Array.isArray(names) ? String(names[0] ?? '').trim() : '';
}
