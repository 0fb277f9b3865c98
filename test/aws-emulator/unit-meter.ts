import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { partitionKey } from '../../shared/platforms/aws/store/table.ts';

/** Capacity units, by the partition key or the index that they belong to. */
export type UnitsBy = Readonly<Record<string, number>>;

/** Capacity units as DynamoDB bills them. */
export interface Units {
  /** Requests to the table. */
  readonly requests: number;
  readonly read: number;
  readonly write: number;
  /** Read units of the table and its indexes, by partition key. */
  readonly readBy: UnitsBy;
  /** Write units of the table alone, by partition key. */
  readonly writeBy: UnitsBy;
  /** Write units of indexes, by the name of the index. */
  readonly indexBy: UnitsBy;
}

/** A proxy of DynamoDB that adds up the units that the requests through it consume. */
export interface UnitMeter {
  readonly url: string;
  /** Returns the units since the last call. */
  take(): Units;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: requests and responses in the JSON of AWS
type Any = any;

const noUnits: Units = { requests: 0, read: 0, write: 0, readBy: {}, writeBy: {}, indexBy: {} };

/**
 * Starts a proxy in front of an endpoint. Requests that it passes on report their units; nothing else changes. Failed
 * requests, which the emulator has under load, are not counted.
 */
export async function startUnitMeter(endpoint: string): Promise<UnitMeter> {
  let units = noUnits;
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).replace(/^.*\./, '');
    const input = JSON.parse(await textOf(request));
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers: {
        authorization: String(request.headers.authorization), // the emulator only reads the access key
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-date': String(request.headers['x-amz-date']),
        'x-amz-target': String(request.headers['x-amz-target']),
      },
      body: JSON.stringify({ ...input, ReturnConsumedCapacity: 'INDEXES' }),
    });
    const text = await answer.text();
    if (answer.ok) units = add(units, unitsOf(operation, input, JSON.parse(text)));
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens
    take: () => {
      const taken = units;
      units = noUnits;
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function unitsOf(operation: string, input: Any, output: Any): Units {
  switch (operation) {
    case 'BatchGetItem':
      return readOf(batchReads(input, output));
    case 'GetItem':
      return readOf({ [input.Key[partitionKey].S]: output.ConsumedCapacity.CapacityUnits });
    case 'Query':
      return readOf({
        [input.ExpressionAttributeValues[':pk'].S]: output.ConsumedCapacity.CapacityUnits,
      });
    case 'TransactWriteItems':
      return writeOf(transactionWrites(input), output.ConsumedCapacity[0]);
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem': {
      const { pk } = input.Item ?? input.Key;
      const { ConsumedCapacity: consumed } = output;
      return writeOf({ [pk.S]: consumed.Table.CapacityUnits }, consumed);
    }
    default:
      throw new Error(`unknown units of ${operation}`);
  }
}

/** The emulator reports nothing for missing items, which cost a unit too (awslabs/amazon-dynamodb-local-samples#7). */
function batchReads({ RequestItems }: Any, { Responses, ConsumedCapacity }: Any): UnitsBy {
  const [[table, { Keys: keys }]] = Object.entries<Any>(RequestItems) as [[string, Any]]; // of one table
  const missing = keys.length - Responses[table].length;
  if (ConsumedCapacity[0].CapacityUnits + missing !== keys.length) {
    throw new Error('a record of more than 4 KB, or a read that is not consistent');
  }
  return sumsOf(keys.map((key: Any) => [key[partitionKey].S, 1]));
}

/** The emulator reports too little for transactions of small items (awslabs/amazon-dynamodb-local-samples#31). */
function transactionWrites({ TransactItems }: Any): UnitsBy {
  const parts = TransactItems.map((part: Any) => Object.values<Any>(part)[0]);
  return sumsOf(parts.map(({ Item, Key }: Any) => [(Item ?? Key)[partitionKey].S, 2 * kbOf(Item)]));
}

/** Returns the size of an item in started KB; a deleted one is taken for small. */
function kbOf(item: Any = {}): number {
  const sizes = Object.entries<Any>(item).map(
    ([name, value]) => name.length + Buffer.byteLength(String(Object.values(value)[0])),
  );
  return Math.max(1, Math.ceil(sumOf(sizes) / 1024));
}

function readOf(readBy: UnitsBy): Units {
  return { ...noUnits, requests: 1, read: sumOf(Object.values(readBy)), readBy };
}

function writeOf(writeBy: UnitsBy, { GlobalSecondaryIndexes = {} }: Any): Units {
  const indexBy = sumsOf(
    Object.entries<Any>(GlobalSecondaryIndexes).map(([name, one]) => [name, one.CapacityUnits]),
  );
  const write = sumOf([...Object.values(writeBy), ...Object.values(indexBy)]);
  return { ...noUnits, requests: 1, write, writeBy, indexBy };
}

function add(a: Units, b: Units): Units {
  const both = (name: 'readBy' | 'writeBy' | 'indexBy') =>
    sumsOf([...Object.entries(a[name]), ...Object.entries(b[name])]);
  return {
    requests: a.requests + b.requests,
    read: a.read + b.read,
    write: a.write + b.write,
    readBy: both('readBy'),
    writeBy: both('writeBy'),
    indexBy: both('indexBy'),
  };
}

function sumsOf(entries: readonly (readonly [string, number])[]): UnitsBy {
  const sums: Record<string, number> = {};
  for (const [name, units] of entries) sums[name] = (sums[name] ?? 0) + units;
  return sums;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}
