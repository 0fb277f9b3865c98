import { describe, expect, test } from 'vitest';
import { api } from '../../functions/api.ts';
import { type GatewayPath, gatewayPaths } from '../../lib/gateway-paths.ts';
import { createRouter } from '../../shared/core/http/router.ts';
import type { Family, Route } from '../../shared/core/resource/route.ts';
import { candidates, readings } from '../aws-emulator/gateway.ts';
import { samplePaths } from '../support/sample-paths.ts';
import { synthesise } from '../support/stack.ts';
import { deployedFunctions, onlyOne, textOf } from '../support/template.ts';

const template = synthesise();

/** The gateway's routes in the template, with the family of their function. */
const deployed = Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(
  ({ Properties: { RouteKey, Target } }) => ({
    key: String(RouteKey),
    family: familyAt(textOf(Target).replace('integrations/', '')),
  }),
);

function familyAt(integration: string): string {
  const { IntegrationUri } =
    template.findResources('AWS::ApiGatewayV2::Integration')[integration]?.Properties ?? {};
  const { Description } =
    template.findResources('AWS::Lambda::Function')[textOf(IntegrationUri)]?.Properties ?? {};
  return String(Description).replace(/^.*: /, '');
}

const calls = api.flatMap(({ name, routes }) =>
  routes.flatMap((route) => samplePaths(route).map((path) => ({ family: name, route, path }))),
);

describe.each(readings)('when %s', (reading) => {
  test.each(calls)('$path reaches a function that serves it', ({ route, path }) => {
    const paths = deployed.flatMap(({ key, family }): GatewayPath[] =>
      key === '$default' ? [] : [{ path: key.replace('ANY ', ''), family }],
    );

    const wrong = candidates(paths, path, reading).filter(({ family }) => {
      const routes = api.find(({ name }) => name === family)?.routes ?? [];
      return createRouter(routes)(path)?.route !== route;
    });

    expect(wrong).toEqual([]);
  });
});

test('unmatched paths reach the function that has the whole map', () => {
  expect(deployed.filter(({ key }) => key === '$default')).toEqual([
    { key: '$default', family: 'batch' },
  ]);
});

test('every family has a function, and the gateway may invoke it', () => {
  const families = deployedFunctions(template).map(({ family }) => family);

  const others = ['background', 'script-runs'];
  expect(families.toSorted()).toEqual([...api.map(({ name }) => name), ...others].toSorted());
  expect(Object.keys(template.findResources('AWS::Lambda::Permission'))).toHaveLength(
    api.length + 1, // one each, not one per route, and one of the tick
  );
});

test('the keys of routes are valid for a gateway', () => {
  const keys = deployed.map(({ key }) => key).filter((key) => key !== '$default');

  const bad = keys.filter(
    (key) => key !== 'ANY /' && !/^ANY (\/(\{\w+\}|[a-z0-9._]+))+(\/\{proxy\+\})?$/.test(key),
  );

  expect(bad).toEqual([]);
  expect(new Set(keys.map((key) => key.replace(/\{\w+\}/g, '{}'))).size).toBe(keys.length);
  expect(keys.length).toBeLessThan(300); // the quota of routes
});

test('the gateway leaves CORS to the functions, limits requests, and logs no path or query', () => {
  const api = onlyOne(template, 'AWS::ApiGatewayV2::Api').resource.Properties;
  const stage = onlyOne(template, 'AWS::ApiGatewayV2::Stage').resource.Properties;

  expect(api).not.toHaveProperty('CorsConfiguration');
  expect(stage.StageName).toBe('$default');
  expect(stage.DefaultRouteSettings).toEqual({
    ThrottlingRateLimit: 1000,
    ThrottlingBurstLimit: 500,
  });
  expect(stage.AccessLogSettings.Format).toContain('$context.routeKey');
  expect(stage.AccessLogSettings.Format).not.toMatch(/path|query|authoriz|header/i);
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
