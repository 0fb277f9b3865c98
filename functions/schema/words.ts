import type { Method, OperationName, Route } from '../../shared/core/resource/route.ts';

const verbs: Readonly<Partial<Record<Method, string>>> = {
  GET: 'get',
  PUT: 'replace',
  PATCH: 'update',
  DELETE: 'delete',
};

/**
 * Names an operation: as its route declares it, else by the kind of the route. `listApiKeys` and `createApiKey` on a
 * list, `getApiKey` and so on for an item, `getAccount` for a resource without a list.
 *
 * @throws Error when a route needs its own name and declares none
 */
export function nameOperation(route: Route, method: Method): OperationName {
  const declared = route.operationNames?.[method];
  if (declared !== undefined) return declared;
  const { kind } = route;
  const noun = nounOf(route);
  if (kind === 'list' && method === 'GET') return named('list', plural(noun));
  if (kind === 'list' && method === 'POST') return named('create', noun, articleOf(noun));
  if (kind === 'detail' && method === 'POST') {
    const { id, summary } = named('replace', noun, articleOf(noun)); // the same as by PUT
    return { id: `${id}WithPost`, summary: `${summary}, using POST` };
  }
  const verb = verbs[method];
  if (verb === undefined || kind === 'action') {
    throw new Error(`${method} of ${route.name} needs an entry in operationNames`);
  }
  return named(verb, noun, kind === 'page' ? 'the' : articleOf(noun));
}

function named(verb: string, noun: string, article?: string): OperationName {
  return {
    id: verb + typeName(noun),
    summary: [capitalized(verb), ...(article === undefined ? [] : [article]), noun].join(' '),
  };
}

/** Returns the noun of a route in plain English: `API key`. Without a noun it is the resource in lower case. */
export function nounOf({ noun, resource }: Route): string {
  if (noun !== undefined) return noun;
  const isAcronym = (word: string) => word.length > 1 && word === word.toUpperCase();
  return wordsOf(resource)
    .map((word) => (isAcronym(word) ? word : word.toLowerCase()))
    .join(' ');
}

function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** Returns the indefinite article of a noun. No noun of the interface begins with a `u` that is spoken as in "under". */
function articleOf(noun: string): string {
  return /^[aeio]/i.test(noun) ? 'an' : 'a';
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
}

/** Returns words as the name of a type: `ApiKey` for `API key`. */
export function typeName(words: string): string {
  return wordsOf(words).map(capitalized).join('');
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}
