import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import type { Request } from '../../shared/core/http/message.ts';
import { toHandler } from '../../shared/platforms/aws/gateway.ts';
import { openFrontDoor } from '../../shared/platforms/aws/requests/front-door.ts';
import { eventOf } from '../aws-emulator/gateway-event.ts';

const client = new SecretsManagerClient({ region: 'eu-west-1' });
const secrets = mockClient(client);
secrets.on(GetSecretValueCommand, { SecretId: 'the-arn' }).resolves({ SecretString: 'proof' });

const served: Request[] = [];
const lines: object[] = [];
const handler = toHandler({
  dispatch: async (request) => {
    served.push(request);
    return { status: 200 };
  },
  log: (line) => lines.push(line),
  clock: { micros: () => 0, steadyMs: () => 0 },
  ids: { random: () => 'made' },
  frontDoor: openFrontDoor('the-arn', client),
});
const edge = '130.176.1.1'; // of the distribution, as the gateway sees it

async function send(headers: Record<string, string>) {
  const event = eventOf({ method: 'GET', path: '/v1.1/', headers, sourceAddress: edge });
  const { statusCode, headers: sent } = await handler(event);
  return { status: statusCode, code: sent['x-error-code'], request: served.pop() };
}

test('without a front door nothing is checked', () => {
  expect(openFrontDoor(undefined)).toBeUndefined();
});

test.each([
  ['without the secret', {}],
  ['with another secret', { 'x-groundwork-proxy-secret': 'guess' }],
  ['with an empty secret', { 'x-groundwork-proxy-secret': '' }],
])('a request %s is not served, and is in the log', async (_name, headers) => {
  expect(await send(headers)).toEqual({ status: 404, code: 'path_unknown', request: undefined });
  expect(lines.at(-1)).toMatchObject({ message: 'request', path: '/v1.1/', status: 404 });
});

test.each([
  ['198.51.100.9', '198.51.100.9'],
  [`198.51.100.9, ${edge}`, '198.51.100.9'],
  [`1.2.3.4, 198.51.100.9, ${edge}`, '198.51.100.9'],
  [`1.2.3.4,2001:db8::7,${edge}`, '2001:db8::7'],
  ['no address', edge],
])('a request through it, forwarded for "%s", comes from %s', async (forwarded, address) => {
  const { status, request } = await send({
    'x-groundwork-proxy-secret': 'proof',
    'x-forwarded-for': forwarded,
  });

  expect({ status, address: request?.sourceAddress }).toEqual({ status: 200, address });
  expect(request?.headers).toEqual({ 'x-forwarded-for': forwarded });
  expect(secrets.calls().length).toBe(1);
});
