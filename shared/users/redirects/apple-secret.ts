import { importPKCS8, SignJWT } from 'jose';
import type { UserProviderData } from '../../table/records/user-accounts.ts';

const validSeconds = 900; // longer than an opened service is kept

/** Makes the secret that Apple expects with each request: a token that the key of the settings signs. */
export async function appleSecret(
  { client_id, team_id = '', key_id = '' }: UserProviderData,
  privateKey: string,
  seconds: number,
): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: key_id })
    .setIssuer(team_id)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + validSeconds)
    .setAudience('https://appleid.apple.com')
    .setSubject(client_id)
    .sign(await importPKCS8(privateKey, 'ES256'));
}
