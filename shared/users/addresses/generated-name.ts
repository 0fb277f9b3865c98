import type { Platform } from '../../ports/ports.ts';

/** Returns a name for a user who has chosen none. */
export function generatedName({ ids }: Pick<Platform, 'ids'>): string {
  return `user-${ids.random().slice(0, 20)}`;
}
