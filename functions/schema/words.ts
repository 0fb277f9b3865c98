import type { Method, Route } from '../../shared/core/resource/route.ts';

const verbs: Readonly<Record<Method, string>> = {
  GET: 'get',
  POST: 'post',
  PUT: 'replace',
  PATCH: 'update',
  DELETE: 'delete',
};

/** Says in words what a method of a route does: `list`, `Api`, `Keys`. Unique over the map. */
export function operationWords(route: Route, method: Method): readonly string[] {
  const { kind, name, resource, operations } = route;
  if (kind === 'list' && method === 'GET') return ['list', ...wordsOf(plural(resource))];
  if (kind === 'list' && method === 'POST') return ['create', ...wordsOf(resource)];
  if (kind === 'list' || kind === 'detail') return [verbs[method], ...wordsOf(resource)];
  // an action is called by its own name, unless it can be called in several ways
  const isOnlyWay = method === 'POST' && operations.GET === undefined;
  return isOnlyWay ? wordsOf(name) : [verbs[method], ...wordsOf(name)];
}

function plural(words: string): string {
  if (/[^aeiou]y$/.test(words)) return `${words.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(words) ? `${words}es` : `${words}s`;
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
}

/** Words as the name of a type: `ApiKey`. */
export function typeName(words: string | readonly string[]): string {
  const parts = typeof words === 'string' ? wordsOf(words) : words;
  return parts.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Words as the name of a function: `listApiKeys`. */
export function functionName(words: readonly string[]): string {
  const name = typeName(words);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** Words as a sentence without its full stop: `List api keys`. */
export function sentence(words: readonly string[]): string {
  const text = words.join(' ').toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
