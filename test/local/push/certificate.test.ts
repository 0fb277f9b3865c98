import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import forge from 'node-forge';
import { expect, test } from 'vitest';
import { openAccount } from '../../../shared/platforms/local/push/account.ts';
import { pushBounds } from '../../../shared/platforms/local/push/bounds.ts';
import { createPushClient } from '../../../shared/platforms/local/push/connections/client.ts';
import { PushFailure } from '../../../shared/push/push-failure.ts';
import { startPushService } from '../../support/push-service.ts';

/* Connections with TLS: who the server is, and the certificate of the client. */

const { pki, md } = forge;

interface Issued {
  readonly cert: string;
  readonly key: string;
}

/** Issues a certificate; without an issuer it is an authority. */
function issue(commonName: string, issuer?: { readonly name: string } & Issued): Issued {
  const keys = pki.rsa.generateKeyPair(2048);
  const certificate = pki.createCertificate();
  certificate.publicKey = keys.publicKey;
  certificate.serialNumber = `0${Math.floor(Math.random() * 1e9)}`;
  certificate.validity.notBefore = new Date(Date.now() - 86_400_000);
  certificate.validity.notAfter = new Date(Date.now() + 86_400_000);
  certificate.setSubject([{ name: 'commonName', value: commonName }]);
  certificate.setIssuer([{ name: 'commonName', value: issuer?.name ?? commonName }]);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: issuer === undefined },
    { name: 'subjectAltName', altNames: [{ type: 2, value: commonName }] },
  ]);
  const signer = issuer === undefined ? keys.privateKey : pki.privateKeyFromPem(issuer.key);
  certificate.sign(signer, md.sha256.create());
  return { cert: pki.certificateToPem(certificate), key: pki.privateKeyToPem(keys.privateKey) };
}

const authority = { name: 'authority', ...issue('authority') };
const { cert: ca } = authority;

interface Tls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Sends a request; returns the status of its response, or the reason why there is none. */
async function outcomeAt(origin: string, tls: Tls): Promise<unknown> {
  const bounds = { ...pushBounds, connectMs: 3000 };
  const client = createPushClient({ origin, tls, bounds, nowMs: () => performance.now() });
  try {
    return (await client.send({ path: '/3/device/a', headers: {}, body: '{}' })).status;
  } catch (error) {
    return error instanceof PushFailure ? error.reason : error;
  } finally {
    client.close();
  }
}

async function tryWith(tls: Tls) {
  const service = await startPushService({
    tls: { ...issue('localhost', authority), ca, requestCert: true, rejectUnauthorized: true },
  });
  const outcome = await outcomeAt(service.url, tls);
  await service.close();
  return { outcome, certificate: service.arrived[0]?.certificate };
}

test('a certificate is shown to a server of a trusted authority', async () => {
  const client = issue('com.example.app', authority);

  expect(await tryWith({ ca, ...client })).toEqual({
    outcome: 200,
    certificate: 'com.example.app',
  });
});

test.each([
  ['bad', 42],
  ['revoked', 44],
  ['expired', 45],
  ['unknown', 46],
  ['of an unknown authority', 48],
  ['required', 116],
])('a server that says that the certificate is %s rejects the credential', async (_, alert) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, alert])));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;

  expect(await outcomeAt(`https://localhost:${port}`, {})).toBe('badCredential');
  server.close();
});

test('a certificate without its key is a bad credential', async () => {
  const { cert } = issue('com.example.app', authority);
  const { key } = issue('com.example.app', authority);

  expect((await tryWith({ ca, cert, key })).outcome).toBe('badCredential');
});

test('a server of an unknown authority gets nothing', async () => {
  const client = issue('com.example.app', authority);

  expect(await tryWith(client)).toEqual({ outcome: 'unreachable', certificate: undefined });
});

test('a stored key whose signatures would block the server is not used', () => {
  const { cert, key } = issue('phone app');
  const jwk = createPrivateKey(key).export({ format: 'jwk' });
  const p = Buffer.alloc(2500, 0xff).toString('base64url');
  const slow = createPrivateKey({ key: { ...jwk, p }, format: 'jwk' });
  const credential = {
    kind: 'certificate',
    certificate: cert,
    key: slow.export({ type: 'pkcs8', format: 'pem' }).toString(),
  } as const;
  const scope = { instance: 1, provider: 'apns', environment: 'production' } as const;
  const apns = 'https://localhost:1';
  const addresses = { fcm: apns, googleToken: apns, apns, apnsSandbox: apns };
  const clock = { micros: () => 0, steadyMs: () => 0 };

  expect(() =>
    openAccount(scope, credential, { addresses, clock, bounds: pushBounds }),
  ).toThrowError(expect.objectContaining({ reason: 'badCredential' }));
});
