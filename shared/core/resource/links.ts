import type { LinkForm } from '../routing/forms.ts';
import type { Params } from '../routing/known.ts';
import type { Context, Route } from '../routing/route.ts';
import type { Version } from '../routing/versions.ts';

/** A link in the responses of a resource. */
export interface Link<View> extends LinkForm {
  /**
   * Path below the item; or a function that returns it, made from the view, below the instance (`undefined` omits the
   * link: docs/reference/responses.md#links).
   */
  readonly to: string | ((view: View, base: string) => string | undefined);
}

/** Returns the `links` of one response: absolute paths in the version of the request. */
export function linksOf<View>(
  context: Context,
  links: readonly Link<View>[],
  self: string,
  view: View,
): Record<string, string> {
  const made: Record<string, string> = {};
  const base = instanceBase(context);
  for (const link of links) {
    if (!hasLink(link, context.version)) continue;
    const { name, to } = link;
    const path = typeof to === 'string' ? self + to : to(view, base);
    if (path !== undefined) made[name] = path;
  }
  return made;
}

/** Checks whether a version has the link. */
export function hasLink({ versions }: LinkForm, version: Version): boolean {
  return versions?.includes(version) ?? true;
}

/** Returns the path of the request's instance, without its last slash. */
export function instanceBase(context: Context): string {
  return `/${context.version}/instances/${context.params.instance ?? ''}`;
}

/** Returns the path for the request's version, with its parameters in their stored form. */
export function linkPath(context: Context, paths: Route['paths']): string {
  const pattern = paths[context.version];
  if (pattern === undefined)
    throw new Error(`${context.route.name} has no path in ${context.version}`);
  const parts = pattern.split('{').map((part, at) => {
    if (at === 0) return part;
    const end = part.indexOf('}');
    return String(context.params[part.slice(0, end) as keyof Params]) + part.slice(end + 1);
  });
  return `/${context.version}${parts.join('')}`;
}
