import forge from 'node-forge';

interface Certificate {
  readonly key: string;
  readonly cert: string;
}

let made: Certificate | undefined;

/** Returns a self-signed certificate for `localhost` and 127.0.0.1, with its key, in PEM; one for a file of tests. */
export function tlsCertificate(): Certificate {
  made ??= makeCertificate();
  return made;
}

function makeCertificate(): Certificate {
  const keys = forge.pki.rsa.generateKeyPair(2048);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = keys.publicKey;
  certificate.serialNumber = '01';
  certificate.validity.notBefore = new Date(Date.now() - 86_400_000);
  certificate.validity.notAfter = new Date(Date.now() + 86_400_000);
  const name = [{ name: 'commonName', value: 'localhost' }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  const altNames = [
    { type: 2, value: 'localhost' },
    { type: 7, ip: '127.0.0.1' },
  ];
  certificate.setExtensions([{ name: 'subjectAltName', altNames }]);
  certificate.sign(keys.privateKey, forge.md.sha256.create());
  return {
    key: forge.pki.privateKeyToPem(keys.privateKey),
    cert: forge.pki.certificateToPem(certificate),
  };
}
