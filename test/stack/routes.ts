import { describe, expect, test } from 'vitest';
import { api } from '../../functions/api.ts';
import { type GatewayPath, gatewayPaths } from '../../lib/gateway/gateway-paths.ts';
import { fallbackFamily } from '../../lib/grants.ts';
import type { Family, Route } from '../../shared/core/routing/route.ts';
import { createFamilyFinder } from '../../shared/platforms/aws/requests/fallback.ts';
import { candidates, readings } from '../aws-emulator/gateway.ts';
import { samplePaths } from '../support/sample-paths.ts';
import { synthesise } from '../support/stack.ts';
import { deployedFunctions, onlyOne, textOf } from '../support/template.ts';

const template = synthesise();
const { Body: definition } = onlyOne(template, 'AWS::ApiGatewayV2::Api').resource.Properties;
const integrations: Readonly<Record<string, { readonly uri: unknown }>> =
  definition.components['x-amazon-apigateway-integrations'];

/** The gateway's routes in the template, with the family of their function. */
const deployed = Object.entries<Record<string, Record<string, Record<string, string>>>>(
  definition.paths,
).map(([path, methods]) => {
  const { $ref = '' } =
    methods['x-amazon-apigateway-any-method']?.['x-amazon-apigateway-integration'] ?? {};
  return { path, family: familyAt($ref.replace(/^.*\//, '')) };
});
const isDefault = ({ path }: GatewayPath) => path === '/$default';

function familyAt(integration: string): string {
  const uri = textOf(integrations[integration]?.uri);
  const [, name = ''] = /:function:groundwork-prod-([a-z-]+)\/invocations$/.exec(uri) ?? [];
  return name;
}

const calls = [
  ...api.flatMap(({ name, routes }) =>
    routes.flatMap((route) => samplePaths(route).map((path) => ({ family: name, path }))),
  ),
  ...['/console', '/console/', '/console/main.js', '/docs/api', '/docs/api/'].map((path) => ({
    family: 'console',
    path,
  })),
];

describe.each(readings)('when %s', (reading) => {
  const paths = deployed.filter((each) => !isDefault(each));

  test.each(calls)("$path reaches its family's own function", ({ family, path }) => {
    const reached = candidates(paths, path, reading).map((found) => found.family);
    const forwarded = forwardedTo(path) ?? fallbackFamily;

    expect(reached.length === 0 ? [forwarded] : [...new Set(reached)]).toEqual([family]);
  });
});

/** The function of `$default` forwards requests of other families than its own. */
const forwardedTo = createFamilyFinder(
  api
    .filter(({ name }) => name !== fallbackFamily)
    .map(({ name, routes }) => ({ name, paths: routes })),
);

test('unmatched paths reach the function that forwards them, which has no rights of other families', () => {
  expect(deployed.filter(isDefault)).toEqual([{ path: '/$default', family: fallbackFamily }]);
  expect(definition.paths['/$default']['x-amazon-apigateway-any-method'].isDefaultRoute).toBe(true);
});

test('the gateway is one definition, made in a few requests to its control plane', () => {
  const types = Object.values<{ readonly Type: string }>(template.toJSON().Resources)
    .map(({ Type }) => Type)
    .filter((type) => type.startsWith('AWS::ApiGatewayV2::'));

  expect(types.toSorted()).toEqual(['AWS::ApiGatewayV2::Api', 'AWS::ApiGatewayV2::Stage']);
  expect(JSON.stringify(template.toJSON())).not.toContain('ApiEndpoint');
  expect(Object.keys(integrations).length).toBeLessThan(300); // the quota of integrations
});

test('integrations invoke functions of the deployment, by names, in payload 2.0', () => {
  for (const [family, integration] of Object.entries(integrations)) {
    expect(integration).toMatchObject({
      type: 'AWS_PROXY',
      httpMethod: 'POST',
      payloadFormatVersion: '2.0',
      timeoutInMillis: 30_000,
    });
    expect(familyAt(family)).toBe(family);
  }
});

test('every family has a function of its name, and the gateway may invoke it', () => {
  const functions = deployedFunctions(template);
  const families = functions.map(({ family }) => family);

  expect(functions.map(({ properties }) => properties.FunctionName)).toEqual(
    families.map((family) => `groundwork-prod-${family}`),
  );

  const others = ['background', 'console', 'script-runs'];
  expect(families.toSorted()).toEqual([...api.map(({ name }) => name), ...others].toSorted());
  expect(Object.keys(template.findResources('AWS::Lambda::Permission'))).toHaveLength(
    api.length + 2, // one each, not one per route, one of the console, and one of the tick
  );
});

test('the keys of routes are valid for a gateway', () => {
  const keys = deployed.filter((each) => !isDefault(each)).map(({ path }) => path);

  const bad = keys.filter(
    (key) => key !== '/' && !/^(\/(\{\w+\}|[a-z0-9._]+))+(\/\{proxy\+\})?$/.test(key),
  );

  expect(bad).toEqual([]);
  expect(new Set(keys.map((key) => key.replace(/\{\w+\}/g, '{}'))).size).toBe(keys.length);
  expect(keys.length).toBeLessThan(300); // the quota of routes
});

test('the gateway leaves CORS to the functions, limits requests, and logs none of them', () => {
  const api = onlyOne(template, 'AWS::ApiGatewayV2::Api').resource.Properties;
  const stage = onlyOne(template, 'AWS::ApiGatewayV2::Stage').resource.Properties;

  expect(api).not.toHaveProperty('CorsConfiguration');
  expect(stage.StageName).toBe('$default');
  expect(stage.DefaultRouteSettings).toEqual({
    ThrottlingRateLimit: 1000,
    ThrottlingBurstLimit: 500,
  });
  expect(stage).not.toHaveProperty('AccessLogSettings');
  expect(api.FailOnWarnings).toBe(true);
});

test('with accessLog the gateway logs each request, without path or query', () => {
  const logging = synthesise({ accessLog: 'true' });

  const { AccessLogSettings } = onlyOne(logging, 'AWS::ApiGatewayV2::Stage').resource.Properties;
  expect(AccessLogSettings.Format).toContain('$context.routeKey');
  expect(AccessLogSettings.Format).not.toMatch(/path|query|authoriz|header/i);
});

test('paths get their own routes where two families share the paths below', () => {
  const route = (path: string) => ({ paths: { 'v1.1': path } }) as unknown as Route; // only the paths are read
  const families: readonly Pick<Family, 'name' | 'routes'>[] = [
    { name: 'alone', routes: [route('/a/'), route('/a/{id}/x/')] },
    { name: 'above', routes: [route('/b/'), route('/b/{id}/')] },
    { name: 'below', routes: [route('/b/{id}/c/'), route('/b/{id}/c/{id}/')] },
  ];

  expect(gatewayPaths(families).map(({ path, family }) => `${path} ${family}`)).toEqual([
    '/v1.1/a alone',
    '/v1.1/a/{proxy+} alone',
    '/v1.1/b above',
    '/v1.1/b/{id} above',
    '/v1.1/b/{id}/c below',
    '/v1.1/b/{id}/c/{proxy+} below',
  ]);
});
