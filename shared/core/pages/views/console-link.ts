import { consolePlaceAt } from '../../routing/console-place.ts';
import type { Match } from '../../routing/router.ts';
import { type Html, html } from '../html.ts';

/**
 * Renders a link to what the console shows of a path. It is relative, for a server below a path.
 *
 * @param match route of the path; absent where there is none
 */
export function renderConsoleLink(path: string, match: Match | undefined): Html {
  const up = '../'.repeat(path.split('/').length - 2);
  return html`<a class="button console" rel="external" href="${up}console/#${placeOf(match)}">Open in the console</a>`;
}

/** Returns the place in the console that shows what a path is about. */
export function placeOf(match: Match | undefined): string {
  const { route, params = {} } = match ?? {};
  const routePath = route?.paths['v1.1'] ?? route?.paths.v1 ?? '/';
  return consolePlaceAt(route?.places ?? {}, routePath, params);
}
