import type { GatewayPath } from '../../lib/gateway-paths.ts';

/** What `{proxy+}` makes of a path that ends in a slash: both are conceivable, none is documented. */
export const readings = [
  'a last slash begins an empty segment',
  'a last slash is nothing',
] as const;
/** One of the readings. */
export type Reading = (typeof readings)[number];

/**
 * The paths of the gateway that may serve a call, by what is documented: those that match in full, and when there
 * are none those that match by `{proxy+}`. Empty: the call goes to `$default`.
 */
export function candidates(
  paths: readonly GatewayPath[],
  called: string,
  reading: Reading,
): readonly GatewayPath[] {
  const segments = called.split('/').slice(1);
  if (reading === 'a last slash is nothing' && segments.at(-1) === '') segments.pop();
  const isFull = ({ path }: GatewayPath) => {
    const template = path.split('/').slice(1);
    return template.length === segments.length && matches(template, segments);
  };
  const isGreedy = ({ path }: GatewayPath) => {
    const template = path.split('/').slice(1);
    if (template.at(-1) !== '{proxy+}' || segments.length < template.length) return false;
    return matches(template.slice(0, -1), segments);
  };
  const full = paths.filter(isFull);
  return full.length > 0 ? full : paths.filter(isGreedy);
}

function matches(template: readonly string[], segments: readonly string[]): boolean {
  return template.every((part, at) => part === segments[at] || /^\{\w+\}$/.test(part));
}
