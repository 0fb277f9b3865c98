import type { Platform } from '../../ports/ports.ts';
import type { Match } from './router.ts';

/**
 * Returns the match of a path that exists, or that of the route which the path has otherwise; undefined: the path is
 * unknown.
 */
export async function existingMatch(
  platform: Pick<Platform, 'store'>,
  match: Match | undefined,
): Promise<Match | undefined> {
  const { exists, otherwise } = match?.route ?? {};
  if (match === undefined || exists === undefined) return match;
  if (await exists(platform, match.params)) return match;
  if (otherwise === undefined) return undefined;
  return {
    route: otherwise.route,
    version: match.version,
    params: { ...match.params, ...otherwise.params },
  };
}
