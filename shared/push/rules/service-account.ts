import { dataMessages } from '../../values/errors/data-messages.ts';
import { messages } from '../../values/errors/messages.ts';
import { writeExactJson } from '../../values/json/exact-number.ts';
import { isJsonObject } from '../../values/json/json.ts';
import { characterCount, read, reject, type ValueResult } from '../../values/scalars.ts';
import { schemaOf, type ValueSchema } from '../../values/values.ts';
import { readPrivateKey } from './private-key.ts';
import type { PushCredential } from './provider.ts';

/** Key as sent: a new one, or, from clients that send back what they have read, the form in responses. */
export type GcmKey =
  | { readonly kind: 'new'; readonly credential: PushCredential; readonly shown: string }
  | { readonly kind: 'shown'; readonly text: string };

const maxBytes = 16_384;
const maxLegacyLength = 40; // docs/reference/push.md#config
const required = ['project_id', 'private_key', 'client_email'];
const accountType = 'service_account';

/** Message about a key that is neither a service account nor a server key. */
export const badServiceAccount = `Invalid service account: ${required.join(', ')} are required.`;

/** Message about a file of another kind, such as that of an OAuth client. */
const otherFile = `Invalid service account: its type must be "${accountType}".`;
/** Message about a key that is cut off, or is no RSA key. */
const badKey = 'Invalid service account: private_key is no whole RSA key in PEM.';
/** Message about a server key that no header can have. */
const badLegacyKey = 'Invalid server key: it has printable ASCII characters only, without blanks.';

/**
 * Returns the schema of a Firebase key: the JSON of a service account, as an object or as text; or a former server key
 * (docs/reference/push.md#config). The empty text is no key.
 */
export function gcmKeyValue(): ValueSchema<GcmKey | null> {
  return schemaOf((input) => {
    if (isJsonObject(input)) return readAccount(writeExactJson(input));
    return typeof input === 'string' ? readText(input.trim()) : reject(messages.notString);
  });
}

function readText(text: string): ValueResult<GcmKey | null> {
  if (text === '') return read(null);
  if (text.startsWith('{')) return readAccount(text);
  if (/^(service_account:|\*\*\*\*)/.test(text)) return read({ kind: 'shown', text });
  if (characterCount(text) > maxLegacyLength) return reject(messages.maxLength(maxLegacyLength));
  if (!/^[!-~]+$/.test(text)) return reject(badLegacyKey);
  const shown = `****${text.length > 8 ? text.slice(-4) : ''}`;
  return read({ kind: 'new', credential: { kind: 'legacyKey', key: text }, shown });
}

function readAccount(text: string): ValueResult<GcmKey> {
  if (Buffer.byteLength(text) > maxBytes) return reject(dataMessages.objectTooBig(maxBytes));
  const account = parseAccount(text);
  const isWhole = (name: string) => typeof account?.[name] === 'string' && account[name] !== '';
  if (account === undefined || !required.every(isWhole)) return reject(badServiceAccount);
  const { type = accountType, private_key: sent, client_email } = account;
  if (type !== accountType) return reject(otherFile);
  const private_key = readPrivateKey(String(sent), 'RSA');
  if (private_key === undefined) return reject(badKey);
  const credential = {
    kind: 'serviceAccount',
    text: private_key === sent ? text : JSON.stringify({ ...account, private_key }),
  } as const;
  return read({ kind: 'new', credential, shown: `service_account:${client_email}` });
}

function parseAccount(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // the message must not repeat any of it
  }
}
