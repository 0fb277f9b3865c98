import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Request } from './message.ts';

const noBytes = new Uint8Array();

/**
 * Converts a gateway's event (HTTP API, payload 2.0) to a request. The event's path is already percent-decoded and is
 * used unchanged, see {@link pathOf}; its query is not and is decoded here; header names are already in lower case.
 */
export function toRequest(event: APIGatewayProxyEventV2): Request {
  const { http, requestId } = event.requestContext;
  return {
    id: requestId,
    method: http.method,
    path: pathOf(event),
    query: new URLSearchParams(event.rawQueryString),
    headers: toHeaders(event),
    body: { kind: 'bytes', bytes: toBytes(event) },
    sourceAddress: http.sourceIp,
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
