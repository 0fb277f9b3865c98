import type { GatewayPath } from './gateway-paths.ts';

/** The targets of requests. */
export interface Destinations {
  readonly paths: readonly GatewayPath[];
  /** Returns the address at which the gateway invokes the function of a family. */
  readonly invocationOf: (family: string) => string;
  /** The family whose function receives requests that match none of the paths. */
  readonly fallback: string;
}

/**
 * Returns the HTTP API as an OpenAPI document with the extensions of the gateway. CloudFormation imports it in one
 * request; a resource for each route and integration would take more than the account's quota of requests allows.
 */
export function gatewayDefinition(title: string, destinations: Destinations): object {
  const { paths, invocationOf, fallback } = destinations;
  const families = new Set([...paths.map(({ family }) => family), fallback]);
  return {
    openapi: '3.0.1',
    info: { title, version: '1' },
    paths: {
      '/$default': anyMethod(fallback, { isDefaultRoute: true }),
      ...Object.fromEntries(
        paths.map(({ path, family }) => [path, { ...anyMethod(family), ...pathParameters(path) }]),
      ),
    },
    components: {
      'x-amazon-apigateway-integrations': Object.fromEntries(
        [...families].map((family) => [family, integration(invocationOf(family))]),
      ),
    },
  };
}

function anyMethod(family: string, more: object = {}) {
  const $ref = `#/components/x-amazon-apigateway-integrations/${family}`;
  return {
    'x-amazon-apigateway-any-method': {
      ...more,
      responses: { default: { description: 'of the function' } },
      'x-amazon-apigateway-integration': { $ref },
    },
  };
}

function pathParameters(path: string) {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
  if (names.length === 0) return {};
  return {
    parameters: names.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
  };
}

function integration(uri: string) {
  return {
    type: 'AWS_PROXY',
    httpMethod: 'POST',
    connectionType: 'INTERNET',
    payloadFormatVersion: '2.0',
    timeoutInMillis: 30_000, // the longest possible
    uri,
  };
}
