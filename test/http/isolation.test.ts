import { expect, test } from 'vitest';
import { isolate } from '../../shared/core/pipeline/isolation.ts';

const sandbox = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';
const content = { type: 'text/html', bytes: '<p>' };

test.each([
  ['nothing', {}, sandbox],
  ['a policy', { 'Content-Security-Policy': "img-src 'none'" }, `img-src 'none', ${sandbox}`],
  ['a policy in capitals', { 'CONTENT-SECURITY-POLICY': 'x' }, `x, ${sandbox}`],
])('a response that declares %s gets an origin of its own', (_, headers, policy) => {
  const isolated = isolate({ status: 201, headers: { ...headers, 'X-Own': '1' }, content });

  expect(isolated).toEqual({
    status: 201,
    content,
    headers: {
      'X-Own': '1',
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
    },
  });
});

test('a response does not affect all of our origin', () => {
  const headers = {
    NEL: '{"report_to": "x", "max_age": 9}',
    'Report-To': '{}',
    'clear-site-data': '"*"',
    'Strict-Transport-Security': 'max-age=9',
    'Alt-Svc': 'h2=":1"',
    'Accept-CH': 'DPR',
    'Service-Worker-Allowed': '/',
    'X-Accel-Redirect': '/private/',
    'Content-Security-Policy-Report-Only': 'x',
    Allow: 'GET',
    Location: '/x',
  };

  const isolated = isolate({ status: 201, headers, content });

  expect(Object.keys(isolated.headers ?? {})).toEqual([
    'Location',
    'Content-Security-Policy',
    'X-Content-Type-Options',
  ]);
});
