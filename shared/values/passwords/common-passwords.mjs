import { fileURLToPath } from 'node:url';
import { dictionary } from '@zxcvbn-ts/language-common';

// Plain JavaScript, because bin/start.mjs imports it untransformed; common-passwords.d.mts declares its types.

export const commonPasswords = dictionary['passwords-common']
  .slice(0, 1000)
  .filter((password) => password.length >= 8)
  .join(' ');

export const define = { COMMON_PASSWORDS: JSON.stringify(commonPasswords) };

export const program = fileURLToPath(import.meta.url);
