import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { createClient } from '../../shared/platforms/aws/store/client.ts';
import { openStore } from '../../shared/platforms/aws/store/store.ts';
import { partitionKey, sortKey, tableIndexes } from '../../shared/platforms/aws/store/table.ts';
import type { Store } from '../../shared/store/store.ts';

/** URL of an emulator, if configured. */
export const endpoint = process.env.DYNAMODB_ENDPOINT;

/**
 * Creates a table on the emulator and opens the store on it; closing the store deletes the table.
 *
 * @param now epoch milliseconds
 */
export async function openTestTable(now: () => number): Promise<Store> {
  if (endpoint === undefined) throw new Error('DYNAMODB_ENDPOINT is not set');
  const table = `test-${randomUUID()}`;
  await createTable(table, endpoint);
  const store = openStore({ table, client: emulatorClient(endpoint, table), now });
  return {
    ...store,
    close: async () => {
      await store.close();
      await removeTable(table, endpoint);
    },
  };
}

/** Returns the access key under which the emulator has a table. */
export function accessKeyOf(table: string): string {
  return table.replaceAll('-', '');
}

/** Opens a client of one table. The emulator is slow under load; each access key, which may be any, has its database. */
function emulatorClient(url: string, table: string) {
  return createClient({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: accessKeyOf(table), secretAccessKey: 'test' },
    requestTimeoutMs: 30_000,
  });
}

/** Creates a table on an emulator, in the database of its own access key: {@link accessKeyOf}. */
export async function createTable(table: string, url: string): Promise<void> {
  const client = emulatorClient(url, table);
  await client.send(new CreateTableCommand(tableInput(table)));
  await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName: table });
  client.destroy();
}

/** Deletes a table that {@link createTable} has created. */
export async function removeTable(table: string, url: string): Promise<void> {
  const client = emulatorClient(url, table);
  await client.send(new DeleteTableCommand({ TableName: table }));
  client.destroy();
}

function tableInput(table: string): CreateTableCommandInput {
  const names = [partitionKey, sortKey, ...tableIndexes.map((index) => index.sortKey)];
  return {
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: names.map((name) => ({ AttributeName: name, AttributeType: 'S' })),
    KeySchema: keySchema(sortKey),
    GlobalSecondaryIndexes: tableIndexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keySchema(index.sortKey),
      Projection: { ProjectionType: index.projection },
    })),
  };
}

function keySchema(range: string): CreateTableCommandInput['KeySchema'] {
  return [
    { AttributeName: partitionKey, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ];
}
