import { signal } from '@preact/signals';

/** Name of the instance that responses have shown to be suspended (docs/reference/instances.md#suspended). */
export const suspended = signal<string | undefined>(undefined);

/** Takes from a response whether its instance is suspended. */
export function noteSuspension(pathname: string, headers: Headers): void {
  const [, name] = /\/v1\.1\/instances\/([^/]+)\//.exec(pathname) ?? [];
  if (name === undefined) return;
  const instance = decodeURIComponent(name);
  if (headers.get('X-Suspended') === '1') suspended.value = instance;
  else if (suspended.peek() === instance) suspended.value = undefined;
}
