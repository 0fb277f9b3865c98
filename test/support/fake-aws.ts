import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { partitionKey, sortKey, tableIndexes } from '../../shared/aws/table.ts';
import { answerS3, readS3, type S3Objects, type S3Request } from './fake-s3.ts';

/*
 * As much of AWS as a handler meets: the requests that the store makes of a table, a secret, mail, and files. It is in memory
 * and knows who calls by the access key, so that it can refuse what a role does not allow. Conditions it takes as
 * met, and pages as large: the store's own tests, on a real emulator, are about these.
 */

/** Who asks for which action on what, as in a policy: a resource is `<table>`, `<table>/index/<name>`, a secret, or files. */
export interface Access {
  readonly caller: string;
  readonly action: string;
  readonly resource: string;
}

/** A fake that runs. */
export interface FakeAws {
  readonly url: string;
  /** Mails that were handed over, as SES takes them. */
  readonly mails: readonly unknown[];
  /** What was asked for and not allowed, in order. */
  readonly refused: readonly Access[];
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: requests in DynamoDB's JSON
type Any = any;
type Items = Map<string, Any>;

/**
 * Starts the fake on a free port of this machine.
 *
 * @param secret text of the one secret
 * @param allows whether a caller may do what it asks for
 */
export async function startFakeAws({
  secret,
  allows,
}: {
  readonly secret: string;
  readonly allows: (access: Access) => boolean;
}): Promise<FakeAws> {
  const items: Items = new Map();
  const refused: Access[] = [];
  const mails: unknown[] = [];
  const objects: S3Objects = new Map();
  const answered = (operation: string, input: Any) =>
    operation === 'GetSecretValue'
      ? { ARN: input.SecretId, SecretString: secret }
      : answerOf(items, operation, input);
  const answerFile = (caller: string, asked: S3Request) => {
    const access = { caller, ...fileAccess(asked) };
    if (allows(access)) return answerS3(objects, asked);
    refused.push(access);
    return { status: 403, headers: {}, body: '' };
  };
  const server = createServer(async (request, response) => {
    const caller = /Credential=([^/]+)\//.exec(String(request.headers.authorization))?.[1] ?? '';
    const body = await bodyOf(request);
    const toS3 = readS3Request(request, body);
    if (toS3 !== undefined) {
      const answer = answerFile(caller, toS3);
      response.writeHead(answer.status, answer.headers).end(answer.body);
      return;
    }
    const operation = operationOf(request);
    const input = JSON.parse(body.toString());
    const accesses = accessesOf(operation, input).map((access) => ({ caller, ...access }));
    const denied = accesses.find((access) => !allows(access));
    if (denied !== undefined) refused.push(denied);
    else if (operation === 'SendEmail') mails.push(input);
    const answer = denied === undefined ? answered(operation, input) : refusal(denied);
    response.writeHead(denied === undefined ? 200 : 400, {
      'content-type': 'application/x-amz-json-1.0',
    });
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens
    refused,
    mails,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function operationOf({ url, headers }: IncomingMessage): string {
  if (url === '/v2/email/outbound-emails') return 'SendEmail';
  const [, operation = ''] = String(headers['x-amz-target']).split('.');
  return operation;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

function refusal(denied: Access): Any {
  return { __type: 'AccessDeniedException', message: JSON.stringify(denied) };
}

/** A request of S3, which is known by its signature; undefined: it is another one. */
function readS3Request(request: IncomingMessage, body: Buffer): S3Request | undefined {
  const { method = '', url = '', headers } = request;
  const isS3 = /\/s3\/aws4_request/.test(String(headers.authorization));
  return isS3 ? { method, url, headers, body } : undefined;
}

/** What a request of S3 needs; files are named by their area, as policies do. */
function fileAccess(request: S3Request): Omit<Access, 'caller'> {
  const { bucket, key, action } = readS3(request);
  const area = key === '' ? '' : `/${key.split('/')[0]}/*`;
  return { action, resource: bucket + area };
}

/** What a request needs to be allowed; a transaction needs what its parts would. */
function accessesOf(operation: string, input: Any): readonly Omit<Access, 'caller'>[] {
  switch (operation) {
    case 'GetSecretValue':
      return [{ action: 'secretsmanager:GetSecretValue', resource: input.SecretId }];
    case 'SendEmail': {
      const domain = /@([^<>@]+)/.exec(input.FromEmailAddress)?.[1];
      const place = 'AWS::Partition:ses:AWS::Region:AWS::AccountId';
      return [{ action: 'ses:SendEmail', resource: `arn:${place}:identity/${domain}` }];
    }
    case 'BatchGetItem':
      return Object.keys(input.RequestItems).map((resource) => access('BatchGetItem', resource));
    case 'TransactWriteItems':
      return input.TransactItems.map((one: Any) => {
        const [name, part] = Object.entries<Any>(one)[0] ?? [];
        return access(
          name === 'ConditionCheck' ? 'ConditionCheckItem' : `${name}Item`,
          part.TableName,
        );
      });
    default: {
      const index = input.IndexName === undefined ? '' : `/index/${input.IndexName}`;
      return [access(operation, `${input.TableName}${index}`)];
    }
  }
}

function access(action: string, resource: string): Omit<Access, 'caller'> {
  return { action: `dynamodb:${action}`, resource };
}

function answerOf(items: Items, operation: string, input: Any): Any {
  switch (operation) {
    case 'SendEmail':
      return { MessageId: 'a-mail' };
    case 'GetItem':
      return { Item: items.get(nameOf(input.Key)) };
    case 'BatchGetItem': {
      const found = Object.entries<Any>(input.RequestItems).map(([table, { Keys }]) => [
        table,
        Keys.map((key: Any) => items.get(nameOf(key))).filter(Boolean),
      ]);
      return { Responses: Object.fromEntries(found), UnprocessedKeys: {} };
    }
    case 'Query':
      return { Items: query(items, input) };
    case 'TransactWriteItems':
      for (const one of input.TransactItems) {
        if (one.Put !== undefined) items.set(nameOf(one.Put.Item), one.Put.Item);
        if (one.Delete !== undefined) items.delete(nameOf(one.Delete.Key));
      }
      return {};
    case 'PutItem':
      items.set(nameOf(input.Item), input.Item);
      return {};
    case 'DeleteItem':
      items.delete(nameOf(input.Key));
      return {};
    case 'UpdateItem':
      return { Attributes: count(items, input) };
    default:
      throw new Error(`the fake does not know ${operation}`);
  }
}

function nameOf(item: Any): string {
  return `${item[partitionKey].S}\n${item[sortKey].S}`;
}

/** Adds to a number, which is all that is updated in place. */
function count(items: Items, { Key, UpdateExpression, ExpressionAttributeValues }: Any): Any {
  const attribute = /ADD (\w+) :count$/.exec(UpdateExpression)?.[1] ?? '';
  const before = Number(items.get(nameOf(Key))?.[attribute]?.N ?? 0);
  const number = {
    [attribute]: { N: String(before + Number(ExpressionAttributeValues[':count'].N)) },
  };
  items.set(nameOf(Key), { ...Key, ...number });
  return number;
}

function query(items: Items, input: Any): readonly Any[] {
  const values = input.ExpressionAttributeValues;
  const attribute = tableIndexes.find(({ name }) => name === input.IndexName)?.sortKey ?? sortKey;
  const condition = input.KeyConditionExpression.split(' AND ').slice(1).join(' AND ');
  const isIn = (text: string) => {
    if (/>=|BETWEEN/.test(condition) && text < values[':low'].S) return false;
    if (/<=|BETWEEN/.test(condition)) return text <= values[':high'].S;
    return !/</.test(condition) || text < values[':high'].S;
  };
  const found = [...items.values()]
    .filter((item) => item[partitionKey].S === values[':pk'].S && item[attribute] !== undefined)
    .filter((item) => isIn(item[attribute].S))
    .sort((a, b) => (a[attribute].S < b[attribute].S ? -1 : 1));
  return (input.ScanIndexForward === false ? found.reverse() : found).slice(0, input.Limit);
}
