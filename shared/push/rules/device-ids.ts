import { messages } from '../../values/errors/messages.ts';
import { read, reject, type ValueResult } from '../../values/scalars.ts';
import { schemaOf, type ValueSchema } from '../../values/values.ts';
import type { PushProvider } from './provider.ts';

const invalidToken = 'Registration ID (device token) is invalid.';
const hexToken =
  'Device tokens should be represented as a hexadecimal string, 64 characters long, without spaces or other separators.';

const tokenPatterns: Readonly<Record<PushProvider, RegExp>> = {
  gcm: /^[A-Za-z0-9_|:-]{1,512}$/, // longer than in the past
  apns: /^([0-9a-fA-F]{2}){32,100}$/,
};

/** Checks whether a text can be a device's token (docs/reference/push.md#devices). */
export function isToken(provider: PushProvider, text: string): boolean {
  return tokenPatterns[provider].test(text);
}

/** Returns the form in which tokens are compared: those of Apple are hex digits in either case. */
export function tokenCode(provider: PushProvider, token: string): string {
  return provider === 'apns' ? token.toLowerCase() : token;
}

/** Returns the schema of a device's token (docs/reference/push.md#devices). */
export function tokenValue(provider: PushProvider): ValueSchema<string> {
  const message = provider === 'gcm' ? invalidToken : invalidToken + hexToken;
  return schemaOf((input) => {
    if (typeof input === 'string' && input.trim() === '') return reject(messages.blank);
    const token = typeof input === 'string' ? input.trim() : '';
    return isToken(provider, token) ? read(token) : reject(message);
  });
}

/** Returns the schema of a device's id: a hex number of Android, a UUID of iOS (docs/reference/push.md#devices). */
export function deviceIdValue(provider: PushProvider): ValueSchema<string> {
  return schemaOf(provider === 'gcm' ? readHex : readUuid);
}

const maxDeviceId = 0x7fff_ffff_ffff_ffffn;

function readHex(input: unknown): ValueResult<string> {
  const digits =
    typeof input === 'string' ? /^\s*(?:0x)?([0-9a-f]{1,1000})\s*$/i.exec(input)?.[1] : undefined;
  if (digits === undefined) return reject('Device ID is not a valid hex number.');
  const number = BigInt(`0x${digits}`);
  if (number > maxDeviceId) return reject('ValidationError Device ID is out of range.');
  return read(`0x${number.toString(16)}`);
}

function readUuid(input: unknown): ValueResult<string> {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const digits = text.replace(/^urn:uuid:|[{}-]/gi, '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(digits)) return reject(`"${text}" is not a valid UUID.`);
  return read(digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'));
}
