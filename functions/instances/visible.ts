import { type Context, notFound } from '../../shared/core/family.ts';
import { isInstance } from '../../shared/values/keys/data-ids.ts';

/** Hides an instance from callers outside it; anonymous ones get the error of their missing rights. */
export function hideFromOutsiders({ actor, instanceName, instanceId }: Context): void {
  if (actor.kind === 'anonymous') return;
  const isInside =
    actor.kind === 'admin' ? actor.role !== undefined : isInstance(actor.instance, instanceId);
  if (instanceName === undefined || !isInside) throw notFound();
}
