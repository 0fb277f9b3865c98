import type { GatewayPath } from '../../lib/gateway/gateway-paths.ts';

/** What the gateway makes of the last slash of a path: each is conceivable, none is documented. */
export const readings = [
  'a last slash begins an empty segment, which every variable matches',
  'a last slash begins an empty segment, which only {proxy+} matches',
  'a last slash begins an empty segment, which no variable matches alone',
  'a last slash is nothing',
] as const;
/** One of the readings. */
export type Reading = (typeof readings)[number];

/**
 * The paths of the gateway that may serve a call, by what is documented: those that match in full, of these the ones that
 * end with a fixed segment, and when there are none those that match by `{proxy+}`. Empty: the call goes to `$default`.
 */
export function candidates(
  paths: readonly GatewayPath[],
  called: string,
  reading: Reading,
): readonly GatewayPath[] {
  const segments = called.split('/').slice(1);
  const [every, , none, ignored] = readings;
  if (reading === ignored && segments.at(-1) === '') segments.pop();
  const mayBeEmpty = reading === every;
  const isFull = ({ path }: GatewayPath) => {
    const template = path.split('/').slice(1);
    return template.length === segments.length && matches(template, segments, mayBeEmpty);
  };
  const isGreedy = ({ path }: GatewayPath) => {
    const template = path.split('/').slice(1);
    if (template.at(-1) !== '{proxy+}' || segments.length < template.length) return false;
    const rest = segments.slice(template.length - 1).join('/');
    if (rest === '' && reading === none) return false;
    return matches(template.slice(0, -1), segments, mayBeEmpty);
  };
  const full = paths.filter(isFull);
  const fixed = full.filter(({ path }) => !/\{\w+\}$/.test(path));
  if (fixed.length > 0) return fixed;
  return full.length > 0 ? full : paths.filter(isGreedy);
}

function matches(
  template: readonly string[],
  segments: readonly string[],
  mayBeEmpty: boolean,
): boolean {
  return template.every((part, at) => {
    const segment = segments[at];
    return part === segment || (/^\{\w+\}$/.test(part) && (segment !== '' || mayBeEmpty));
  });
}
