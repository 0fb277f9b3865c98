import { expect, test } from 'vitest';
import { routes } from '../../functions/api.ts';
import { type Method, methods, type Route } from '../../shared/core/routing/route.ts';
import { type AdminRole, isAllowed, roles } from '../../shared/values/access.ts';

const path = 'console/core/role-rights.ts';
const head = `// Made from the access of the interface: npx vitest run test/api/role-rights.test.ts -u

/**
 * The weakest role that may send a request, where that is not \`read\` for a GET and \`write\` for others: one a line, with
 * the path below the instance. \`*\` is any one segment.
 */
export const roleRights = \`
`;
const strongestFirst: readonly AdminRole[] = ['owner', ...roles];
const inInstance = '/instances/{instance}/';

/** Returns the roles that may send a request, the strongest first. */
function rolesOf({ access, operations }: Route, method: Method): readonly AdminRole[] {
  const right = operations[method]?.right;
  if (right === undefined) return [];
  return strongestFirst.filter((role) =>
    isAllowed(access, { kind: 'admin', account: 1, role }, right),
  );
}

const all = routes.flatMap((route) => {
  const own = route.paths['v1.1'];
  if (!own?.startsWith(inInstance)) return [];
  const below = own.slice(inInstance.length).replace(/\{\w+\}/g, '*') || '.';
  return methods.map((method) => ({ request: `${method} ${below}`, may: rolesOf(route, method) }));
});

test('a role that may send a request is no stronger than all others that may', () => {
  const odd = all.filter(({ may }) => may.join() !== strongestFirst.slice(0, may.length).join());
  expect(odd).toEqual([]);
});

test('the console knows which role each request takes', async () => {
  const lines = all.flatMap(({ request, may }) => {
    const weakest = may.at(-1);
    const isUsual = weakest === (request.startsWith('GET ') ? 'read' : 'write');
    return weakest === undefined || isUsual ? [] : [`${request} ${weakest}\n`];
  });
  await expect(`${head}${lines.join('')}\`;\n`).toMatchFileSnapshot(`../../${path}`);
});
