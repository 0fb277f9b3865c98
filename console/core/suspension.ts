import { signal } from '@preact/signals';
import type { RequestPath } from '../../shared/values/text/request-path.ts';
import { inInstance } from './roles.ts';

/**
 * The last instance whose responses said that its operator has stopped it (docs/reference/instances.md#suspended);
 * undefined: none.
 */
export const suspended = signal<string | undefined>(undefined);

/** Reads from a response whether the instance of its path is suspended. */
export function noteSuspension(path: RequestPath, headers: Headers): void {
  const { instance } = inInstance(path) ?? {};
  if (instance === undefined) return;
  const isSuspended =
    headers.has('X-Suspended') || headers.get('X-Error-Code') === 'instance_suspended';
  if (isSuspended) suspended.value = instance;
  else if (suspended.peek() === instance) suspended.value = undefined;
}
