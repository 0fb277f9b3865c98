import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { vi } from 'vitest';
import { routes } from '../../functions/api.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import { toHandler } from '../../shared/platforms/aws/gateway.ts';
import { openProcess } from '../../shared/platforms/aws/handler.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { accessKeyOf, createTable, endpoint, removeTable } from './dynamodb.ts';
import { startFakeAws } from './fake-aws.ts';
import { createFakeLambda } from './fake-lambda.ts';
import { clientEvent } from './gateway-event.ts';
import { bodyOf } from './lambda.ts';
import { startUnitMeter, type Units } from './unit-meter.ts';

/** The handler of all routes on the platform of a deployment, with a table on DynamoDB Local. */
export interface MeasuredDeployment {
  /** Sends a request, which must succeed. */
  send(request: MeasuredRequest): Promise<MeasuredResponse>;
  close(): Promise<void>;
}

/** A request of a client. */
export interface MeasuredRequest {
  readonly method?: string;
  /** Without `/v1.1`. */
  readonly path: string;
  readonly query?: string;
  readonly key?: string;
  readonly body?: unknown;
}

/** The response, and the costs of the request. */
export interface MeasuredResponse {
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into responses of every shape
  readonly body: any;
  readonly units: Units;
  /** Bytes of the request's line in the log. */
  readonly logBytes: number;
  /** The figure in that line. */
  readonly tableRequests: number;
}

/** The result of each run of a script, and its time, which is above that for which a run is held back from its trace. */
const runMs = 50;
const scriptResult = {
  exitCode: 0,
  isTimedOut: false,
  isCut: false,
  stdout: 'hello',
  stderr: '',
  executedAtMs: 0,
  durationMs: runMs,
};

/**
 * Opens a deployment: environment, platform and handler are those of a function, in this process; the table is on
 * DynamoDB Local. Scripts are not run: each run has the same result.
 */
export async function openMeasuredDeployment(): Promise<MeasuredDeployment> {
  if (endpoint === undefined) throw new Error('DYNAMODB_ENDPOINT is not set');
  const table = `test-${randomUUID()}`;
  await createTable(table, endpoint);
  const meter = await startUnitMeter(endpoint);
  const lambda = createFakeLambda(() => setTimeout(runMs, scriptResult));
  const secret = randomBytes(32).toString('hex');
  const aws = await startFakeAws({ secret, allows: () => true, lambda });
  const environment = environmentOf(table, { table: meter.url, others: aws.url });
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const platform = await openProcess();
  const handler = toHandler({
    ...platform,
    dispatch: createDispatch(routes, platform, { renderer: responseTemplates }),
  });
  return {
    send: async ({ method = 'POST', path, ...request }) => {
      const lines = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
      meter.take();
      const result = await handler(clientEvent({ method, path: `/v1.1${path}`, ...request }));
      await platform.scripts.settled(); // some writes are not awaited by the response
      const logged = lines.mock.calls.map(([text]) => String(text)).join('');
      lines.mockRestore();
      if (result.statusCode >= 400) throw new Error(logged);
      const line = logged.trimEnd().split('\n').at(-1) ?? ''; // after those of mails
      return {
        body: bodyOf(result),
        units: meter.take(),
        logBytes: Buffer.byteLength(line),
        tableRequests: JSON.parse(line).tableRequests,
      };
    },
    close: async () => {
      vi.unstubAllEnvs();
      await platform.store.close();
      await lambda.close();
      await aws.close();
      await meter.close();
      await removeTable(table, endpoint ?? '');
    },
  };
}

function environmentOf(
  table: string,
  urls: { readonly table: string; readonly others: string },
): Readonly<Record<string, string>> {
  return {
    GROUNDWORK_TABLE: table,
    GROUNDWORK_SECRET: 'a-secret',
    GROUNDWORK_FILES: 'a-bucket',
    GROUNDWORK_FILES_URL: 'https://files.example.com',
    GROUNDWORK_PUSH: 'groundwork_prod',
    GROUNDWORK_API_URL: 'https://api.example.com',
    GROUNDWORK_SCRIPTS: 'groundwork-prod',
    GROUNDWORK_SCRIPT_ROLE: 'a-role',
    GROUNDWORK_METRICS: 'Groundwork/prod',
    GROUNDWORK_FAMILY: 'objects',
    GROUNDWORK_REGISTRATION: 'open',
    GROUNDWORK_PASSWORD_COST: '10',
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL: urls.others,
    AWS_ENDPOINT_URL_DYNAMODB: urls.table,
    AWS_ACCESS_KEY_ID: accessKeyOf(table),
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
}
