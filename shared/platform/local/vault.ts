import { hkdfSync } from 'node:crypto';
import type { SecretVersion } from '../../accounts/rules/master-secrets.ts';
import { openText, sealText } from '../../values/text/sealed-text.ts';
import type { Secrets, Vault } from '../ports.ts';

/** Opens a vault whose key is derived from the master secret; a sealed text names the version of its secret. */
export function openVault(secrets: Secrets): Vault {
  return {
    seal: async (text, context) => {
      const current = await secrets.current();
      return `${current.version}.${sealText(keyOf(current), text, JSON.stringify(context))}`;
    },
    open: async (sealed, context) => {
      const [version = '', text = ''] = sealed.split('.');
      const found = await secrets.get(Number(version));
      if (found === undefined) throw new Error(`the master secret ${version} was retired`);
      return openText(keyOf(found), text, JSON.stringify(context));
    },
  };
}

function keyOf({ secret }: SecretVersion): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'groundwork vault', 32));
}
