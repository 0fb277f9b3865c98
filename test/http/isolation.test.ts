import { expect, test } from 'vitest';
import { isolate } from '../../shared/http/isolation.ts';

const sandbox = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';
const content = { type: 'text/html', bytes: '<p>' };

test.each([
  ['nothing', {}, sandbox],
  ['a policy', { 'Content-Security-Policy': "img-src 'none'" }, `img-src 'none', ${sandbox}`],
  ['a policy in capitals', { 'CONTENT-SECURITY-POLICY': 'x' }, `x, ${sandbox}`],
])('an answer that says %s gets an origin of its own', (_, headers, policy) => {
  const isolated = isolate({ status: 201, headers: { ...headers, 'X-Own': '1' }, content });

  expect(isolated).toEqual({
    ...{ status: 201, content },
    headers: {
      'X-Own': '1',
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
    },
  });
});
