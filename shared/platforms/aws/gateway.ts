import middy, { type MiddlewareObj } from '@middy/core';
import type {
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Context,
} from 'aws-lambda';
import {
  type EdgePorts,
  type EdgeRequest,
  type EdgeStep,
  edgeSteps,
  OutOfTime,
} from '../../core/http/edge.ts';
import type { Dispatch, Request, Response } from '../../core/http/message.ts';
import type { Ids } from '../../ports/ports.ts';
import { brokenParameterOf } from '../../values/text/decode-text.ts';
import type { ReadForwarded } from './requests/front-door.ts';

/** A response in the gateway's form. */
export type GatewayResponse = APIGatewayProxyStructuredResultV2 & {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * A Lambda handler for an HTTP API with payload 2.0. Never rejects.
 *
 * @param context of the invocation; only with it can a function that runs out of time still send a response
 */
export type Handler = (
  event: APIGatewayProxyEventV2,
  context?: Context,
) => Promise<GatewayResponse>;

/** Value that passes through the middlewares in place of the gateway's event. */
interface Passing extends EdgeRequest {
  readonly event: APIGatewayProxyEventV2;
  /** The response to a request that is not dispatched. */
  readonly early?: Response;
}

type Middleware = MiddlewareObj<Passing, Response>;

const timing = {
  timeoutEarlyInMillis: 500, // for the steps that complete the response: they have no time limit of their own
  timeoutEarlyResponse: () => {
    throw new OutOfTime('no response in time');
  },
};

/** Parts that a handler uses in addition to the ports of the edge. */
interface HandlerParts {
  readonly dispatch: Dispatch;
  readonly ids: Ids;
  /** Checks that requests have passed what is in front of the gateway; undefined: nothing is. */
  readonly frontDoor?: ReadForwarded | undefined;
}

/**
 * Creates the handler that serves `dispatch` behind a gateway, with the steps of the edge as middlewares.
 *
 * @example export const handler = toHandler({ dispatch: createDispatch(api, platform), ...platform });
 */
export function toHandler(
  { dispatch, ids, frontDoor, ...ports }: EdgePorts & HandlerParts,
  steps: readonly EdgeStep[] = edgeSteps(ports),
): Handler {
  const serve = middy<Passing, Response>(timing)
    .before((passing) => {
      passing.event = { ...passing.event, request: toRequest(passing.event.event, ids) };
      return frontDoor && passDoor(passing, frontDoor);
    })
    .use(steps.map(toMiddleware))
    .handler(async ({ early, request }: Passing) => early ?? dispatch(request));
  return async (event, context) => {
    const startedMicros = ports.clock.micros();
    const passing = { event, request: { ...unread, id: ids.random() }, startedMicros };
    // only tests pass no context: then there is no time limit
    return toResult(await serve(passing, context ?? ({} as Context)));
  };
}

async function passDoor(passing: { event: Passing }, frontDoor: ReadForwarded): Promise<void> {
  passing.event = { ...passing.event, request: await frontDoor(passing.event.request) };
}

/**
 * Mounts the hooks of a step. middy runs `after` and `onError` in reverse order, all of them: so a response to an error
 * is completed like any other. An early response that middy knew of would not be, therefore it passes with the request.
 */
function toMiddleware({ before, after, onError }: EdgeStep): Middleware {
  const complete: NonNullable<Middleware['after']> = async (passing) => {
    const { event, response } = passing;
    if (response && after)
      passing.response = await after(event.request, response, event.startedMicros);
  };
  return {
    ...(before && {
      before: (passing) => {
        const { event } = passing;
        const early = event.early ?? before(event.request);
        if (early !== undefined) passing.event = { ...event, early };
      },
    }),
    ...(after && { after: complete }),
    onError: (passing) => {
      const response = passing.response ?? onError?.(passing.event.request, passing.error);
      if (response) passing.response = response;
      return complete(passing);
    },
  };
}

const noBytes = new Uint8Array();

/** Stands for the request while its event is not converted: the response to an event that cannot be is that to this. */
const unread: Omit<Request, 'id'> = {
  method: 'GET',
  path: '/',
  query: new URLSearchParams(),
  headers: {},
  body: { kind: 'bytes', bytes: noBytes },
  sourceAddress: '',
};

/**
 * Converts a gateway's event (HTTP API, payload 2.0) to a request. The event's path is already percent-decoded and is
 * used unchanged, see {@link pathOf}; its query is not and is decoded here; header names are already in lower case.
 */
function toRequest(event: APIGatewayProxyEventV2, ids: Ids): Request {
  const { http, requestId } = event.requestContext;
  return {
    id: requestId || ids.random(),
    method: http.method,
    path: pathOf(event),
    query: new URLSearchParams(event.rawQueryString),
    brokenParameter: brokenParameterOf(event.rawQueryString),
    headers: toHeaders(event),
    body: { kind: 'bytes', bytes: toBytes(event) },
    sourceAddress: http.sourceIp,
    served: {},
  };
}

/**
 * Keeps an escaped slash as part of its segment. The gateway decodes it in `rawPath`; where another member of the event
 * shows that there was one, the path has it escaped, and so matches no route.
 */
function pathOf({ rawPath, pathParameters, requestContext: { http } }: APIGatewayProxyEventV2) {
  if (/%2f/i.test(http.path)) return http.path;
  if (pathParameters === undefined) return rawPath;
  const whole = Object.entries(pathParameters).flatMap(([name, value]) =>
    name !== 'proxy' && value?.includes('/') ? [value] : [],
  );
  return whole.reduce(
    (path, value) => path.replace(value, () => value.replaceAll('/', '%2F')),
    rawPath,
  );
}

/** The gateway moves cookies out of the headers; scripts expect them there. */
function toHeaders({ headers, cookies }: APIGatewayProxyEventV2): Request['headers'] {
  if (cookies === undefined || cookies.length === 0) return headers;
  return { ...headers, cookie: cookies.join('; ') };
}

function toBytes({ body, isBase64Encoded }: APIGatewayProxyEventV2): Uint8Array {
  if (!body) return noBytes;
  return Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
}

/** Converts a complete response to the gateway's result. */
function toResult({ status, headers = {}, content, cookies }: Response): GatewayResponse {
  const more = cookies && { cookies: [...cookies] };
  if (content === undefined) return { statusCode: status, headers, ...more };
  const { bytes } = content;
  if (typeof bytes === 'string') {
    return { statusCode: status, headers, body: bytes, isBase64Encoded: false, ...more };
  }
  const { buffer, byteOffset, byteLength } = bytes;
  const body = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  return { statusCode: status, headers, body, isBase64Encoded: true, ...more };
}
