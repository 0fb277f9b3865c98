import { isAllowed } from '../../values/access.ts';
import { isJsonObject, type JsonObject } from '../../values/json/json.ts';
import { describeFields } from '../resource/introspection.ts';
import type { Context } from '../routing/route.ts';
import type { Router } from '../routing/router.ts';
import { isApiPath } from './json.ts';

/** A run that the page of an item starts. */
export interface PageRun {
  readonly path: string;
  readonly title: string;
  /** Fields of the body, as OPTIONS describes them; undefined: the body is any object. */
  readonly fields: JsonObject | undefined;
}

/** Finds the run that the item in a response links to, if the client may start it. */
export async function findRun(
  router: Router,
  context: Context | undefined,
  body: unknown,
): Promise<PageRun | undefined> {
  if (context?.route.kind !== 'detail' || !isJsonObject(body)) return undefined;
  const path = isJsonObject(body.links) ? body.links.run : undefined;
  if (!isApiPath(path)) return undefined;
  const { route } = (await router(path)) ?? {};
  const { GET, POST } = route?.operations ?? {};
  if (route === undefined || POST === undefined) return undefined;
  if (!isAllowed(route.access, context.actor, POST.right)) return undefined;
  return {
    path,
    title: route.operationNames?.POST?.summary ?? route.name,
    fields: GET?.runsCode ? undefined : describeFields(route.forms.POST ?? {}, undefined),
  };
}
