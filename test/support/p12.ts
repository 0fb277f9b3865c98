import forge from 'node-forge';

const keys = forge.pki.rsa.generateKeyPair(1024);

interface Certificate {
  readonly friendlyName: string | undefined;
  readonly notAfter: Date;
  /** Pass phrase; null: the file has no MAC. */
  readonly password?: string | null;
}

/** Returns a self-signed certificate as a `.p12` file, as the keychain exports it. */
export function p12File({ friendlyName, notAfter, password = '' }: Certificate) {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = keys.publicKey;
  certificate.validity.notBefore = new Date(0);
  certificate.validity.notAfter = notAfter;
  certificate.setSubject([{ name: 'commonName', value: 'Apple Push Services' }]);
  certificate.setIssuer([{ name: 'commonName', value: 'Apple' }]);
  certificate.sign(keys.privateKey, forge.md.sha256.create());
  const options = {
    algorithm: '3des' as const,
    ...(friendlyName !== undefined && { friendlyName }),
  };
  const file = forge.pkcs12.toPkcs12Asn1(keys.privateKey, certificate, password, options);
  return new Uint8Array(Buffer.from(forge.asn1.toDer(file).getBytes(), 'binary'));
}
