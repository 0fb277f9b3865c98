import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, expected, type World } from './api.ts';

const pem = { type: 'pkcs8', format: 'pem' } as const;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A service account in Firebase's format, with a key that no service knows. */
export const serviceAccount = {
  type: 'service_account',
  project_id: 'demo',
  private_key: rsa.privateKey.export(pem).toString(),
  client_email: 'push@demo.iam.gserviceaccount.com',
};

/** A token key in Apple's format, which no service knows. */
export const tokenKey = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  .privateKey.export(pem)
  .toString();

/** Sets the credentials of both environments of a provider. */
export async function configure({ call, owner }: World, provider: 'gcm' | 'apns'): Promise<void> {
  const body =
    provider === 'gcm'
      ? { development_api_key: serviceAccount, production_api_key: serviceAccount }
      : { ...apnsToken('development'), ...apnsToken('production') };
  expected(await call(owner, 'PUT', `push_notifications/${provider}/config/`, body), 200);
}

/** A token of Apple's for one environment, as a body. */
export function apnsToken(environment: string): Record<string, string> {
  return {
    [`${environment}_token_key`]: tokenKey,
    [`${environment}_key_id`]: 'ABCDE12345',
    [`${environment}_team_id`]: 'FGHIJ67890',
    [`${environment}_bundle_identifier`]: 'com.example.app',
  };
}

/** Returns all messages of the outbox, in order. */
export function outboxOf({ platform }: Api): readonly Record<string, unknown>[] {
  const folder = platform.push.outbox;
  return readdirSync(folder)
    .sort()
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line));
}
