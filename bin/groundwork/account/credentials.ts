import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { processVariables } from '../../../shared/ports/setting-variables.ts';
import { isServerAddress } from '../../server-address.ts';
import { textOfFile } from '../project-files.ts';

/** An account, and its key. */
interface SavedAccount {
  readonly email: string;
  readonly key: string;
}

/** Accounts by server. */
type Credentials = Readonly<Record<string, SavedAccount>>;

function credentialsPath(): string {
  const { XDG_CONFIG_HOME: folder } = processVariables();
  return join(folder || join(homedir(), '.config'), 'groundwork', 'credentials.json');
}

function readCredentials(): Credentials {
  const path = credentialsPath();
  if (!existsSync(path)) return {};
  return JSON.parse(textOfFile(readFileSync(path), path)) as Credentials; // as saved
}

/** Returns the account of the last log-in at an address. */
export function savedAccount(url: string): SavedAccount | undefined {
  return Object.entries(readCredentials()).find(([each]) => isServerAddress(each, url))?.[1];
}

/** Remembers the key of an account for its server. Returns the path of the file, which only its owner may read. */
export function saveCredentials(url: string, account: SavedAccount): string {
  const path = credentialsPath();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify({ ...readCredentials(), [url]: account }, undefined, 2)}\n`;
  writeFileSync(path, text, { mode: 0o600 });
  chmodSync(path, 0o600); // also of one that existed
  return path;
}
