import type { DescribedOperation } from '../../functions/schema/describe.ts';

/** Returns a function that finds the id of the operation that serves a request, if any. */
export function openMatcher(
  operations: readonly DescribedOperation[],
): (request: { readonly method: string; readonly path: string }) => string | undefined {
  const patterns = operations.map(({ path, method, id, pathParameters }) => ({
    id,
    method,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    parameters: pathParameters.length,
  }));
  patterns.sort((a, b) => a.parameters - b.parameters); // a literal segment comes before a parameter
  return ({ method, path }) => {
    const [pathname = ''] = path.split('?');
    return patterns.find((each) => each.method === method && each.pattern.test(pathname))?.id;
  };
}
