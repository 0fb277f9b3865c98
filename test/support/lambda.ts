import { type ChildProcess, spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/** A bundle in a Node process of its own, as Lambda runs it. */
export interface Lambda<Event = APIGatewayProxyEventV2, Answer = Result> {
  invoke(event: Event): Promise<Answer>;
  /** Ends the process; gives all that the function has written to standard output. */
  close(): Promise<string>;
}

/** What a function answers to the gateway. */
export interface Result {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

const host = `
const { handler } = await import(process.argv[1]);
process.on('message', async (event) => {
  const context = { getRemainingTimeInMillis: () => 29000 };
  process.send(await handler(event, context));
});
process.send('ready');
`;

/**
 * Starts a bundle and waits until it is initialised.
 *
 * @param node      the program that runs it
 * @param variables the whole environment of the process
 */
export async function startLambda<Event extends object = APIGatewayProxyEventV2, Answer = Result>(
  node: string,
  bundle: string,
  variables: Readonly<Record<string, string>>,
): Promise<Lambda<Event, Answer>> {
  const args = ['--input-type=module', '--eval', host, pathToFileURL(bundle).href];
  const child = spawn(node, args, { env: variables, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let output = '';
  let errors = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const closed = new Promise((resolve) => child.once('close', resolve)); // all is read by then
  const next = () => nextMessage(child, () => errors);
  await next();
  return {
    invoke: async (event) => {
      const answer = next();
      child.send(event);
      return (await answer) as Answer; // from our own host
    },
    close: async () => {
      child.kill();
      await closed;
      return output;
    },
  };
}

function nextMessage(child: ChildProcess, errors: () => string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`the function has ended: ${errors()}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message);
    });
  });
}

/** A call as the gateway's default stage hands it to a function, payload 2.0. */
export function gatewayEvent(call: {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly key?: string | undefined;
  /** Sent as JSON; bytes as a form, whose boundary is `XX`. */
  readonly body?: unknown;
}): APIGatewayProxyEventV2 {
  const { method, path, query = '', key, body } = call;
  const domainName = 'a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com';
  const isForm = body instanceof Uint8Array;
  const sent = isForm
    ? Buffer.from(body).toString('base64')
    : body === undefined
      ? undefined
      : JSON.stringify(body);
  const type = isForm ? 'multipart/form-data; boundary=XX' : 'application/json';
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: {
      accept: '*/*',
      'accept-encoding': 'gzip, deflate, br',
      ...(sent === undefined
        ? {}
        : { 'content-type': type, 'content-length': String(sent.length) }),
      host: domainName,
      'user-agent': 'curl/8.5.0',
      'x-amzn-trace-id': 'Root=1-6742f1a0-5c3d7e0a1b2c3d4e5f607182',
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
      ...(key === undefined ? {} : { 'x-api-key': key }),
    },
    requestContext: {
      accountId: '123456789012',
      apiId: 'a1b2c3d4e5',
      domainName,
      domainPrefix: 'a1b2c3d4e5',
      http: {
        method,
        path,
        protocol: 'HTTP/1.1',
        sourceIp: '203.0.113.7',
        userAgent: 'curl/8.5.0',
      },
      requestId: 'Bq3xYgJkDoEEPbQ=',
      routeKey: '$default',
      stage: '$default',
      time: '21/Nov/2026:12:00:00 +0000',
      timeEpoch: 1_795_262_400_000,
    },
    // the gateway encodes every body that is no text, which JSON is to it
    ...(sent === undefined ? {} : { body: sent }),
    isBase64Encoded: isForm,
  };
}
