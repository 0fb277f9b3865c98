import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { GatewayPath } from '../../../lib/gateway/gateway-paths.ts';
import { candidates, readings } from '../../aws-emulator/gateway.ts';
import { bytesOf, wireEvent } from '../../aws-emulator/gateway-event.ts';
import type { Result } from '../../aws-emulator/lambda.ts';
import { textOf } from '../../support/template.ts';
import type { StackTemplate } from './assembly.ts';
import type { Functions } from './functions.ts';

/** The HTTP API of a stack, on this machine. */
export interface Door {
  /** Without a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

/** The reading with the most requests that match no path, so that the function of `$default` forwards them. */
const [, , reading] = readings;

/** Starts an HTTP server that chooses a function for each request by the API's definition in the template. */
export async function startDoor(
  template: StackTemplate,
  functions: () => Functions,
): Promise<Door> {
  const functionOf = openRoutes(template);
  const server = createServer(async (asked, response) => {
    const event = wireEvent({ ...wireOf(asked), body: await buffer(asked) });
    try {
      const { answer } = await functions().invoke(functionOf(event.rawPath), event);
      const result = answer as Result & { readonly cookies?: readonly string[] }; // our functions'
      if (result.cookies !== undefined) response.setHeader('set-cookie', result.cookies);
      response.writeHead(result.statusCode, result.headers).end(bytesOf(result));
    } catch (error) {
      response.writeHead(503).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function wireOf({ method = '', url = '', rawHeaders }: IncomingMessage) {
  const headers = rawHeaders.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : [],
  );
  return { method, target: url, headers };
}

const anyMethod = 'x-amazon-apigateway-any-method';
const integration = 'x-amazon-apigateway-integration';

/** Returns a function that finds the name of the function that serves a path. */
function openRoutes({ Resources }: StackTemplate): (path: string) => string {
  const api = Object.values(Resources).find(({ Type }) => Type === 'AWS::ApiGatewayV2::Api');
  const { paths, components } = api.Properties.Body;
  const integrations = components['x-amazon-apigateway-integrations'];
  const nameAt = (path: string) => {
    const family = paths[path][anyMethod][integration].$ref.split('/').at(-1);
    return textOf(integrations[family].uri).replace(/^.*:function:|\/invocations$/g, '');
  };
  const routes: GatewayPath[] = Object.keys(paths)
    .filter((path) => path !== '/$default')
    .map((path) => ({ path, family: nameAt(path) }));
  return (path) => candidates(routes, path, reading)[0]?.family ?? nameAt('/$default');
}
