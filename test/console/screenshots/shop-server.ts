import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcess } from '../../support/server-process.ts';
import { writeHistory } from './shop-history.ts';
import { workToday } from './shop-today.ts';

/** A server with the data of a book shop. */
export interface ShopServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a server whose first instance is a book shop with two weeks of history. */
export async function startShop(): Promise<ShopServer> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-shop-'));
  await writeHistory(folder);
  const server = await startProcess(folder, {
    node: ['--max-semi-space-size=32'],
    variables: { GROUNDWORK_USER_MAIL: 'on' },
  });
  await workToday(server.url);
  return {
    url: server.url,
    close: async () => {
      await server.end('SIGTERM');
      rmSync(folder, { recursive: true });
    },
  };
}
