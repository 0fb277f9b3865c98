import type { LinkForm } from './field.ts';
import type { Context, Params, Route } from './route.ts';
import type { Version } from './versions.ts';

/** A link of a resource's answers. */
export interface Link<View> extends LinkForm {
  /**
   * Path below the item; or, made from the view, below the instance (`undefined` leaves the link out:
   * docs/reference/responses.md#links).
   */
  readonly to: string | ((view: View, base: string) => string | undefined);
}

/** Makes the `links` of one answer: absolute paths in the version of the call. */
export function linksOf<View>(
  context: Context,
  links: readonly Link<View>[],
  self: string,
  view: View,
): Record<string, string> {
  const made: Record<string, string> = {};
  for (const link of links) {
    if (!isIn(link, context.version)) continue;
    const { name, to } = link;
    const path = typeof to === 'string' ? self + to : to(view, instanceBase(context));
    if (path !== undefined) made[name] = path;
  }
  return made;
}

/** Tells whether a version has the link. */
export function isIn({ versions }: LinkForm, version: Version): boolean {
  return versions?.includes(version) ?? true;
}

/** Path of the instance that a call is about, without its last slash. */
export function instanceBase(context: Context): string {
  return `/${context.version}/instances/${context.params.instance ?? ''}`;
}

/** A path by version with the parameters of a call in their stored form. */
export function pathOf(context: Context, paths: Route['paths']): string {
  const template = paths[context.version];
  if (template === undefined)
    throw new Error(`${context.route.name} has no path in ${context.version}`);
  const path = template.replace(/\{(\w+)\}/g, (_, name: keyof Params) =>
    String(context.params[name]),
  );
  return `/${context.version}${path}`;
}
