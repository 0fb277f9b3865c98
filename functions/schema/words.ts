import type { Route } from '../../shared/core/family.ts';
import { nounOf, plural, wordsOf } from '../../shared/core/resource/presentation/words.ts';
import type { Method, OperationName } from '../../shared/core/routing/route.ts';

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
  if (kind === 'list' && method === 'GET') return nameFrom('list', plural(noun));
  if (kind === 'list' && method === 'POST') return nameFrom('create', noun, articleOf(noun));
  if (kind === 'detail' && method === 'POST') {
    const { id, summary } = nameFrom('replace', noun, articleOf(noun)); // the same as by PUT
    return { id: `${id}WithPost`, summary: `${summary}, using POST` };
  }
  const verb = verbs[method];
  if (verb === undefined || kind === 'action') {
    throw new Error(`${method} of ${route.name} needs an entry in operationNames`);
  }
  return nameFrom(verb, noun, kind === 'page' ? 'the' : articleOf(noun));
}

function nameFrom(verb: string, noun: string, article?: string): OperationName {
  return {
    id: verb + typeNameOf(noun),
    summary: [capitalize(verb), ...(article === undefined ? [] : [article]), noun].join(' '),
  };
}

/** Returns the indefinite article of a noun. No noun of the interface begins with a `u` that is spoken as in "under". */
function articleOf(noun: string): string {
  return /^[aeio]/i.test(noun) ? 'an' : 'a';
}

/** Returns words as the name of a type: `ApiKey` for `API key`. */
export function typeNameOf(words: string): string {
  return wordsOf(words).map(capitalize).join('');
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}
