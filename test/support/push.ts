import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, expected, type World } from './api.ts';

/** A service account in Firebase's format, with an invalid key. */
export const serviceAccount = {
  type: 'service_account',
  project_id: 'demo',
  private_key: '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n',
  client_email: 'push@demo.iam.gserviceaccount.com',
};

/** A token key in Apple's format, which is invalid. */
export const tokenKey = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----';

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
