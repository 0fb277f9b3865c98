import type { KMSClient } from '@aws-sdk/client-kms';
import { openDerivedVault, secretVersionOf } from '../../ports/derived-vault.ts';
import { KeyGone, type Secrets, type Vault } from '../../ports/ports.ts';
import { errorName } from '../../values/caught.ts';
import { sealText, unsealText } from '../../values/text/sealed-text.ts';
import { clientLimits, naming } from './sdk/client.ts';

/** The encryption of a vault. */
export interface VaultOptions {
  /** ARN of the key in KMS; undefined: texts are sealed under the master secret. */
  readonly key: string | undefined;
  readonly secrets: Secrets;
  /** Created at its first use when absent. */
  readonly client?: KMSClient;
}

/**
 * Opens a vault that seals with a key of KMS if there is one, else under the master secret. It opens what was sealed in
 * either way, as the mark of each text says; without the key, not what the key sealed. Sends no request by itself.
 */
export function openVault({ key, secrets, client }: VaultOptions): Vault {
  const derived = openDerivedVault(secrets);
  const withKey = key === undefined ? undefined : openKeyVault(key, client);
  return {
    seal: (withKey ?? derived).seal,
    open: async (sealed, context) => {
      if (secretVersionOf(sealed) !== undefined) return derived.open(sealed, context);
      if (withKey === undefined) {
        throw new KeyGone('it was sealed with a key of KMS: deploy with the setting keyArn');
      }
      return withKey.open(sealed, context);
    },
  };
}

const sdk = () => import('@aws-sdk/client-kms'); // most functions never open the vault
const limits = { requestMs: 5000, maxAttempts: 3 };

/** Opens a vault with a data key for each text, which KMS generates and decrypts only for the same context. */
function openKeyVault(key: string, client: KMSClient | undefined): Vault {
  let opened: KMSClient | undefined;
  const connect = async () => {
    const { KMSClient } = await sdk();
    opened ??= naming(client ?? new KMSClient(clientLimits(limits)));
    return opened;
  };
  return {
    seal: async (text, context) => {
      const { GenerateDataKeyCommand } = await sdk();
      const { Plaintext, CiphertextBlob } = await (await connect()).send(
        new GenerateDataKeyCommand({ KeyId: key, KeySpec: 'AES_256', EncryptionContext: context }),
      );
      if (!Plaintext || !CiphertextBlob) throw new Error('KMS gave no data key');
      const locked = Buffer.from(CiphertextBlob).toString('base64');
      return `${locked}.${sealText(Plaintext, text, JSON.stringify(context))}`;
    },
    open: async (sealed, context) => {
      const { DecryptCommand } = await sdk();
      const [locked = '', text = ''] = sealed.split('.');
      const { Plaintext } = await (await connect())
        .send(
          new DecryptCommand({
            KeyId: key,
            CiphertextBlob: Buffer.from(locked, 'base64'),
            EncryptionContext: context,
          }),
        )
        .catch(keyGone);
      if (!Plaintext) throw new Error('KMS gave no data key');
      return unsealText(Plaintext, text, JSON.stringify(context));
    },
  };
}

/** Throws the error of a vault in place of KMS's own for a text of another key. */
function keyGone(error: unknown): never {
  if (errorName(error) !== 'IncorrectKeyException') throw error;
  throw new KeyGone('it was sealed with another key of KMS: deploy with the setting keyArn');
}
