import { nounOf, plural } from '../../resource/presentation/words.ts';
import type { Route } from '../../routing/route.ts';

/**
 * Returns the title of a page in plain English: `Classes`, `Class book`, `Log in to an account`. OPTIONS keeps the names
 * that clients know.
 *
 * @param path of the request: its last segment names an item
 */
export function pageTitle(route: Route, path: string): string {
  const { kind, operations, operationNames } = route;
  const noun = nounOf(route);
  if (kind === 'detail') return capitalized(`${noun} ${path.split('/').at(-2) ?? ''}`);
  const { GET, POST } = operationNames ?? {};
  const action = operations.GET === undefined || operations.GET.runsCode ? POST : undefined;
  if (action !== undefined) return action.summary;
  if (GET !== undefined) return capitalized(GET.summary.replace(/^(List|Get) ((the|an?) )?/, ''));
  return capitalized(kind === 'list' ? plural(noun) : noun);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
