import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { partitionKey } from '../../shared/platforms/aws/store/table.ts';
import { recordRequest, saveRequests } from '../judges/recorded-requests.ts';
import { type FakeLambda, lambdaAccesses, readLambda } from './fake-lambda.ts';
import {
  accessDenied,
  type CorsRule,
  corsHeaders,
  readS3,
  respondAsS3,
  type S3Objects,
  type S3Request,
  type S3Response,
  signerOf,
} from './fake-s3.ts';
import { readSns, respondAsSns, snsAccess } from './fake-sns.ts';
import {
  createFakeTable,
  type FakeTable,
  type Images,
  type Part,
  TableError,
  writeParts,
} from './fake-table.ts';

/** Environment of a command by an operator, whose credentials the fake accepts. */
export const operator = {
  AWS_ACCESS_KEY_ID: 'an operator',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
};

/*
 * The parts of AWS that a handler uses: a table, a secret, mail, and files. It is in memory and identifies the caller
 * by the access key, so that it can reject requests that a role does not allow.
 */

/** Caller, action and resource, as in a policy: a resource is `<table>`, `<table>/index/<name>`, a secret, or files. */
export interface Access {
  readonly caller: string;
  readonly action: string;
  readonly resource: string;
  /** Partition of the item that is put. */
  readonly partition?: string;
  /** Partitions of the items that it names by their keys. */
  readonly partitions?: readonly string[];
  /** Key of a file. */
  readonly file?: string;
  /** Service that gets a role. */
  readonly passedTo?: string;
}

/** A running fake. */
export interface FakeAws {
  readonly url: string;
  /** Mails that were sent, in the form of SES. */
  readonly mails: readonly unknown[];
  /** Requests that were not allowed, in order. */
  readonly refused: readonly Access[];
  /** Restores a table to this moment: under another name, as DynamoDB does. */
  restoreTable(source: string, target: string): void;
  /** Sends a request to S3 as a caller. */
  askS3(caller: string, request: S3Request): Promise<S3Response>;
  close(): Promise<void>;
}

/** A request to write items, before its execution. */
export interface PendingWrite {
  readonly caller: string;
  readonly parts: readonly Part[];
  /** Executes it. @throws TableError */
  apply(): void;
}

/** A request to store or to remove files, before its execution. */
export interface PendingFiles {
  readonly caller: string;
  readonly request: S3Request;
  /** Executes it. */
  apply(): void;
}

/** Options of a fake. */
export interface FakeAwsOptions {
  /** Text of the one secret. */
  readonly secret: string;
  /** Checks whether a caller's request is allowed. */
  readonly allows: (access: Access) => boolean;
  /** Receives each access before it is checked. */
  readonly hear?: (access: Access) => void;
  /** Receives each mail for SES; a rejection is passed to the caller. */
  readonly takeMail?: (mail: Any) => Promise<void>;
  /** Returns the response to a search in logs; absent: there are none. */
  readonly searchLogs?: (input: Any) => Any;
  /** Absent: it has no functions. */
  readonly lambda?: FakeLambda;
  /** Receives each change of an item, in order. */
  readonly stream?: (images: Images) => void;
  /** Executes writes, or runs other code before; a rejection is passed to the caller. Absent: at once. */
  readonly write?: (pending: PendingWrite) => Promise<void>;
  /** Executes changes of files, or runs other code before; a rejection is passed to the caller. Absent: at once. */
  readonly changeFiles?: (pending: PendingFiles) => Promise<void>;
  /** Rules of the bucket; none when absent. */
  readonly cors?: readonly CorsRule[];
  /** Epoch milliseconds at which signed addresses are read; real time when absent. */
  readonly nowMs?: () => number;
}

// biome-ignore lint/suspicious/noExplicitAny: requests in the JSON of AWS
type Any = any;

/** Starts the fake on a free port of this machine. */
export async function startFakeAws(options: FakeAwsOptions): Promise<FakeAws> {
  const mails: unknown[] = [];
  const tables = openTables(options.stream);
  const answer = openServices(options, tables, mails);
  const refused: Access[] = [];
  const askS3 = openS3(options, refused);
  const answerFile = async (caller: string, asked: S3Request) => {
    const { nowMs = Date.now, cors = [] } = options;
    const signer = isSigned(asked) ? await signerOf(asked, nowMs()) : caller || undefined;
    const response = signer === undefined ? accessDenied() : await askS3(signer, asked);
    return { ...response, headers: { ...response.headers, ...corsHeaders(cors, asked) } };
  };
  const allows = (access: Access) => {
    options.hear?.(access);
    return options.allows(access);
  };
  const answerPush = (caller: string, asked: URLSearchParams) => {
    const access = { caller, ...snsAccess(asked) };
    if (allows(access)) return { status: 200, text: respondAsSns(asked) };
    refused.push(access);
    return { status: 403, text: '' };
  };
  const answerFunction = async (caller: string, request: IncomingMessage, body: Buffer) => {
    const asked = readLambda(request, request.headers, body);
    const accesses = lambdaAccesses(asked).map((access) => ({ caller, ...access }));
    const denied = accesses.find((access) => !allows(access));
    if (denied !== undefined) {
      refused.push(denied);
      return { status: 403, body: JSON.stringify({ message: 'denied' }) };
    }
    if (options.lambda === undefined) throw new Error('no functions here');
    return options.lambda.answer(asked);
  };
  const answerTable = async (caller: string, operation: string, body: Buffer) => {
    const input = JSON.parse(body.toString());
    const accesses = accessesOf(operation, input).map((access) => ({ caller, ...access }));
    const denied = accesses.find((access) => !allows(access));
    if (denied === undefined) return outcome(() => answer(caller, operation, input));
    refused.push(denied);
    return { status: 400, body: failure('AccessDeniedException', JSON.stringify(denied)) };
  };
  const server = createServer(async (request, response) => {
    const caller = /Credential=([^/]+)\//.exec(String(request.headers.authorization))?.[1] ?? '';
    const body = await bodyOf(request).catch(() => undefined);
    if (body === undefined) return; // the caller has ended
    recordRequest(request, body);
    const toS3 = readS3Request(request, body);
    if (toS3 !== undefined) {
      const { status, headers, body: content } = await answerFile(caller, toS3);
      response.writeHead(status, headers).end(content);
      return;
    }
    if (isFor('lambda', request)) {
      const {
        status,
        headers,
        body: text,
      } = await answerFunction(caller, request, body).catch((error: unknown) => ({
        status: 500,
        headers: {},
        body: JSON.stringify(String(error)),
      }));
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
      return;
    }
    const toSns = readSns(body);
    if (toSns !== undefined) {
      const { status, text } = answerPush(caller, toSns);
      response.writeHead(status, { 'content-type': 'text/xml' }).end(text);
      return;
    }
    const { status, body: answered } = await answerTable(caller, operationOf(request), body);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(answered));
  });
  server.keepAliveTimeout = 600_000; // or a function may send a request over a connection that is being closed
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens
    refused,
    mails,
    restoreTable: tables.restore,
    askS3,
    close: () =>
      new Promise((resolve) => {
        saveRequests();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Opens a bucket. Without permission to list it, a missing object is an object without permission. */
function openS3(
  { allows, changeFiles, hear }: FakeAwsOptions,
  refused: Access[],
): FakeAws['askS3'] {
  const objects: S3Objects = new Map();
  return async (caller, request) => {
    const access = { caller, ...fileAccess(request) };
    hear?.(access);
    if (!allows(access)) {
      refused.push(access);
      return accessDenied();
    }
    let response: S3Response | undefined;
    const apply = () => {
      response = respondAsS3(objects, request);
    };
    try {
      const isChange = access.action !== 's3:GetObject' && access.action !== 's3:ListBucket';
      if (isChange && changeFiles) await changeFiles({ caller, request, apply });
      else apply();
    } catch {
      return { status: 400, headers: {}, body: '<Error><Code>FakeFault</Code></Error>' }; // is not retried
    }
    const { bucket } = readS3(request);
    const mayList = allows({ caller, action: 's3:ListBucket', resource: bucket });
    return response?.status === 404 && !mayList ? accessDenied() : (response ?? accessDenied());
  };
}

const dataKey = Buffer.alloc(32, 7).toString('base64'); // of KMS, which encrypts nothing here

type Services = (caller: string, operation: string, input: Any) => Promise<Any>;

function openServices(
  { secret, takeMail, write, searchLogs }: FakeAwsOptions,
  tables: FakeTables,
  mails: unknown[],
): Services {
  const responses = { ...openSecret(secret), ...constantAnswers };
  return async (caller, operation, input) => {
    if (operation in responses) return responses[operation]?.(input);
    if (operation === 'FilterLogEvents') return searchLogs?.(input) ?? { events: [] };
    if (operation === 'SendEmail') {
      await takeMail?.(input);
      mails.push(input);
      return { MessageId: 'a-mail' };
    }
    const parts = writeParts(operation, input);
    const table = tables.of(input);
    if (write === undefined || parts.length === 0) return table.answer(operation, input);
    await write({ caller, parts, apply: () => table.answer(operation, input) });
    return {};
  };
}

type FakeTables = ReturnType<typeof openTables>;

/** Opens the tables, each of which is created by the first request for it. */
function openTables(stream: FakeAwsOptions['stream']) {
  const tables = new Map<string, FakeTable>();
  const named = (name: string): FakeTable => {
    const table = tables.get(name) ?? createFakeTable(stream);
    tables.set(name, table);
    return table;
  };
  return {
    /** Returns the one table of a request. */
    of: ({ TableName, RequestItems = {}, TransactItems: [first = {}] = [] }: Any) => {
      const [part] = Object.values<Any>(first);
      return named(TableName ?? part?.TableName ?? Object.keys(RequestItems)[0]);
    },
    restore: (source: string, target: string) => void tables.set(target, named(source).copy()),
  };
}

/** Services that store nothing. */
const constantAnswers: Record<string, (input: Any) => Any> = {
  GenerateDataKey: () => ({ Plaintext: dataKey, CiphertextBlob: dataKey }),
  Decrypt: ({ CiphertextBlob }) => ({ Plaintext: CiphertextBlob }),
  SendMessageBatch: () => ({ Successful: [], Failed: [] }),
};

/** The one secret: its versions, and their stages. */
function openSecret(text: string): Record<string, (input: Any) => Any> {
  const versionId = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const texts = new Map([[versionId(1), text]]);
  const stages = new Map([['AWSCURRENT', versionId(1)]]);
  return {
    GetSecretValue: ({ SecretId: ARN }) => {
      const VersionId = stages.get('AWSCURRENT') ?? '';
      return { ARN, VersionId, SecretString: texts.get(VersionId) };
    },
    PutSecretValue: ({ SecretId: ARN, SecretString, VersionStages = ['AWSCURRENT'] }) => {
      const VersionId = versionId(texts.size + 1);
      texts.set(VersionId, SecretString);
      for (const stage of VersionStages) stages.set(stage, VersionId);
      return { ARN, VersionId, VersionStages };
    },
    UpdateSecretVersionStage: (input) => {
      if (stages.get(input.VersionStage) !== input.RemoveFromVersionId) {
        throw new Error('the stage is at another version');
      }
      stages.set(input.VersionStage, input.MoveToVersionId);
      return { ARN: input.SecretId };
    },
  };
}

async function outcome(response: () => Promise<Any>): Promise<{ status: number; body: Any }> {
  try {
    return { status: 200, body: await response() };
  } catch (error) {
    if (error instanceof TableError) return { status: 400, body: error.body };
    return { status: 400, body: failure('FakeFault', String(error)) }; // of a kind that is not retried
  }
}

function failure(type: string, message: string): Any {
  return { __type: type, message };
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

/** Checks whether a request was signed for a service. */
function isFor(service: string, { headers }: IncomingMessage): boolean {
  return String(headers.authorization).includes(`/${service}/aws4_request`);
}

/** Checks whether the address of a request is signed, and not its headers. */
function isSigned({ url = '' }: Pick<IncomingMessage, 'url'>): boolean {
  return url.includes('X-Amz-Signature=');
}

/** Parses a request of S3, identified by its signature, or by the lack of one; undefined: it is another one. */
function readS3Request(request: IncomingMessage, body: Buffer): S3Request | undefined {
  const { method = '', url = '', headers } = request;
  const isUnsigned = headers.authorization === undefined && method !== 'OPTIONS';
  const isForS3 = isFor('s3', request) || isSigned(request) || isUnsigned;
  return isForS3 ? { method, url, headers, body } : undefined;
}

/** Returns the permission that a request of S3 requires; files are named by their area, as in policies. */
function fileAccess(request: S3Request): Omit<Access, 'caller'> {
  const { bucket, key, action } = readS3(request);
  const area = key === '' ? '' : `/${key.split('/')[0]}/*`;
  return { action, resource: bucket + area, ...(key !== '' && { file: key }) };
}

/** Returns the permissions that a request requires; a transaction requires those of its parts. */
function accessesOf(operation: string, input: Any): readonly Omit<Access, 'caller'>[] {
  switch (operation) {
    case 'GetSecretValue':
    case 'PutSecretValue':
    case 'UpdateSecretVersionStage':
      return [{ action: `secretsmanager:${operation}`, resource: input.SecretId }];
    case 'SendEmail': {
      const domain = /@([^<>@]+)/.exec(input.FromEmailAddress)?.[1];
      const place = 'AWS::Partition:ses:AWS::Region:AWS::AccountId';
      return [{ action: 'ses:SendEmail', resource: `arn:${place}:identity/${domain}` }];
    }
    case 'SendMessageBatch':
      return [{ action: 'sqs:SendMessage', resource: queueIn(input.QueueUrl) }];
    case 'FilterLogEvents':
      return [{ action: `logs:${operation}`, resource: input.logGroupName }];
    case 'GenerateDataKey':
    case 'Decrypt':
      return [{ action: `kms:${operation}`, resource: input.KeyId }];
    case 'BatchGetItem':
      return Object.entries<Any>(input.RequestItems).map(([resource, { Keys }]) => ({
        ...access('BatchGetItem', resource),
        partitions: Keys.map((key: Any) => key[partitionKey].S),
      }));
    case 'TransactWriteItems':
      return input.TransactItems.map((one: Any) => {
        const [name, part] = Object.entries<Any>(one)[0] ?? [];
        if (name === 'ConditionCheck')
          return { ...access('ConditionCheckItem', part.TableName), ...partitionOf(part) };
        return { ...access(`${name}Item`, part.TableName), ...partitionOf(part) };
      });
    default: {
      const index = input.IndexName === undefined ? '' : `/index/${input.IndexName}`;
      return [{ ...access(operation, `${input.TableName}${index}`), ...partitionOf(input) }];
    }
  }
}

/** Returns the name with which the URL of a queue ends. */
function queueIn(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

function partitionOf({ Item, Key }: Any): Pick<Access, 'partition' | 'partitions'> {
  if (Key !== undefined) return { partitions: [Key[partitionKey].S] };
  const partition = Item?.[partitionKey].S;
  return partition === undefined ? {} : { partition };
}

function access(action: string, resource: string): Omit<Access, 'caller'> {
  return { action: `dynamodb:${action}`, resource };
}
