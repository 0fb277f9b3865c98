import { hkdfSync } from 'node:crypto';
import type { SecretVersion } from '../accounts/rules/master-secrets.ts';
import { sealText, unsealText } from '../values/text/sealed-text.ts';
import { KeyGone, type Secrets, type Vault } from './ports.ts';

/** The mark of a text that was sealed under the master secret: the version of the secret. */
const mark = /^(\d{1,3})\./;

/** Opens a vault whose key is derived from the master secret; a sealed text names the version of its secret. */
export function openDerivedVault(secrets: Secrets): Vault {
  return {
    seal: async (text, context) => {
      const current = await secrets.current();
      return `${current.version}.${sealText(keyOf(current), text, JSON.stringify(context))}`;
    },
    open: async (sealed, context) => {
      const [version = '', text = ''] = sealed.split('.');
      const found = await secrets.get(Number(version));
      if (found === undefined) throw new KeyGone(`the master secret ${version} was retired`);
      return unsealText(keyOf(found), text, JSON.stringify(context));
    },
  };
}

/** Returns the version of the master secret that a text was sealed under; undefined: it was sealed in another way. */
export function secretVersionOf(sealed: string): number | undefined {
  const [, version] = mark.exec(sealed) ?? [];
  return version === undefined ? undefined : Number(version);
}

function keyOf({ secret }: SecretVersion): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'groundwork vault', 32));
}
