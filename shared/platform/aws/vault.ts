import type { KMSClient } from '@aws-sdk/client-kms';
import { openText, sealText } from '../../values/text/sealed-text.ts';
import type { Vault } from '../ports.ts';
import { limited, naming } from './sdk/client.ts';

/** The encryption of a vault. */
export interface VaultOptions {
  /** ARN of the key in KMS. */
  readonly key: string;
  /** Created at its first use when absent. */
  readonly client?: KMSClient;
}

const sdk = () => import('@aws-sdk/client-kms'); // most functions never open the vault
const limits = { requestMs: 5000, maxAttempts: 3 };

/**
 * Opens a vault that seals each text with its own data key, which KMS generates and decrypts only for the same context.
 * Sends no request by itself.
 */
export function openVault({ key, client }: VaultOptions): Vault {
  let opened: KMSClient | undefined;
  const connect = async () => {
    const { KMSClient } = await sdk();
    opened ??= naming(client ?? new KMSClient(limited(limits)));
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
      const { Plaintext } = await (await connect()).send(
        new DecryptCommand({
          KeyId: key,
          CiphertextBlob: Buffer.from(locked, 'base64'),
          EncryptionContext: context,
        }),
      );
      if (!Plaintext) throw new Error('KMS gave no data key');
      return openText(Plaintext, text, JSON.stringify(context));
    },
  };
}
