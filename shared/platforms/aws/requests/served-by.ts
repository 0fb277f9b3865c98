import type { GatewayResponse, Handler } from '../gateway.ts';

/** Request header that asks which functions serve a request: the smoke test sends it. */
export const servedByRequest = 'x-show-functions';

/** Response header with the functions that served such a request, the one that responded first. */
export const servedByResponse = 'x-served-by';

/** Has a handler name the family of its function in the responses to requests that ask for it. */
export function showingFunction(family: string, handler: Handler): Handler {
  return async (event, context) => {
    const result = await handler(event, context);
    if (event.headers[servedByRequest] === undefined) return result;
    return { ...result, headers: { ...result.headers, [servedByResponse]: chain(result, family) } };
  };
}

function chain({ headers }: GatewayResponse, family: string): string {
  const before = headers[servedByResponse];
  return before === undefined ? family : `${before}, ${family}`;
}
