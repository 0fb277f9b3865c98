import type { EgressOptions } from './bounded-egress.ts';
import type { Egress } from './egress.ts';

/** Opens the one way for requests to addresses of tenants. Its code is loaded by the first of them. */
export function openEgress(options: EgressOptions): Egress {
  let opened: Promise<Egress> | undefined;
  const load = async () => (await import('./bounded-egress.ts')).openBoundedEgress(options);
  return async (url, request) => {
    opened ??= load();
    return (await opened)(url, request);
  };
}
