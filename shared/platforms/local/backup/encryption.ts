import type { Decrypter } from 'age-encryption';
import { messageOf } from '../../../values/caught.ts';
import { StartError } from '../server/start-error.ts';

const library = () => import('age-encryption'); // most processes encrypt nothing
const maxHeaderBytes = 1_048_576; // one of a recipient has 200; the library would keep an endless one in memory

/** A pair of keys in the format of age. */
export interface BackupKeys {
  /** The public key, for which the server encrypts. */
  readonly recipient: string;
  /** The private key, which the server never has. */
  readonly identity: string;
}

/** Makes a pair of keys. */
export async function newBackupKeys(): Promise<BackupKeys> {
  const { generateX25519Identity, identityToRecipient } = await library();
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** Returns the text of a file with a private key, as `age-keygen` writes it. */
export function identityFile({ recipient, identity }: BackupKeys): string {
  return `# public key: ${recipient}\n${identity}\n`;
}

/**
 * Opens the encryption of a stream for a public key.
 *
 * @throws StartError for an invalid key
 */
export async function openEncryption(
  recipient: string,
): Promise<(plain: ReadableStream<Uint8Array>) => Promise<ReadableStream<Uint8Array>>> {
  const { Encrypter } = await library();
  const encrypter = new Encrypter();
  try {
    encrypter.addRecipient(recipient);
  } catch (error) {
    throw new StartError('the recipient is not a valid public key (age1…)', { cause: error });
  }
  return (plain) => encrypter.encrypt(plain);
}

/**
 * Opens the decryption with the private keys of a file: comments, and one key a line.
 *
 * @throws StartError for a file without valid keys
 */
export async function openDecryption(
  keys: string,
): Promise<(stored: ReadableStream<Uint8Array>) => Promise<ReadableStream<Uint8Array>>> {
  const lines = keys.split(/\r?\n/).map((line) => line.trim());
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (identities.length === 0) throw new StartError('the identity file has no private key');
  const { Decrypter } = await library();
  const decrypter = new Decrypter();
  try {
    for (const identity of identities) decrypter.addIdentity(identity);
  } catch (error) {
    throw new StartError('the identity file has a line that is not a private key of age', {
      cause: error,
    });
  }
  return (stored) => decrypt(decrypter, stored);
}

async function decrypt(
  decrypter: Decrypter,
  stored: ReadableStream<Uint8Array>,
): Promise<ReadableStream<Uint8Array>> {
  const header = { isRead: false, bytes: 0 };
  const bounded = stored.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        if (!header.isRead) header.bytes += chunk.length;
        if (header.bytes > maxHeaderBytes) throw new Error('the header does not end');
        controller.enqueue(chunk);
      },
    }),
  );
  try {
    return await decrypter.decrypt(bounded);
  } catch (error) {
    if (!/no identity matched/.test(messageOf(error))) throw error;
    throw new StartError(
      'the private key does not open the backup: it is encrypted for another one, or was changed',
      { cause: error },
    );
  } finally {
    header.isRead = true;
  }
}
