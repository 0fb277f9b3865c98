import { templateEntity } from '../../store/entities.ts';
import type { TemplateData } from '../../store/records/records.ts';
import type { Stored } from '../../store/store.ts';
import { predefinedTemplates } from '../../templates/predefined.ts';
import { type ErrorCode, errorCodeHeader } from '../../values/errors/error-codes.ts';
import { refused } from '../../values/errors/errors.ts';
import type { JsonObject } from '../../values/json/json.ts';
import { queryValue, type Request, type Response } from '../http/message.ts';
import { notAcceptable } from '../http/negotiation.ts';
import { tenantOf } from '../resource/place.ts';
import type { Context, Method, Operation, Route } from '../resource/route.ts';

/*
 * Answers that are rendered with a template (docs/reference/templates.md#use-with-other-resources).
 */

/** Name of the template that a call wants its answer to be rendered with; undefined: none. */
export function wantedTemplate({ headers, query }: Request): string | undefined {
  const header = headers['x-template-response'] || headers['x-template'];
  if (header) return header.toLowerCase();
  if (query.size === 0) return undefined;
  const name = queryValue(query, 'template_response') || queryValue(query, 'template');
  return name ? name.toLowerCase() : undefined;
}

/**
 * The template at a name: what is stored, or the predefined one that nobody has changed yet, whose version is empty.
 * One that was removed is stored as such.
 */
export function storedTemplate(
  item: Stored<TemplateData> | undefined,
  instance: number,
  name: string,
): Stored<TemplateData> | undefined {
  if (item !== undefined) return item;
  const data = predefinedTemplates.find((template) => template.name === name);
  if (data === undefined) return undefined;
  const key = templateEntity.key(instance, name);
  return { key, kind: templateEntity.kind, version: '', data };
}

/**
 * Looks whether the answer of a call can be rendered with the template that it names, before anything is done.
 *
 * @throws ApiError 400 where the route has nothing to show, 406 when there is no such template
 */
export function checkTemplate({ route, template }: Context): void {
  if (route.isUntemplated)
    throw refused(400, 'This endpoint does not support templates.', 'template_unsupported');
  if (template === undefined || template.isRemoved) throw notAcceptable();
}

/** The answer of a call as its template shows it; answers without JSON, and refusals, stay as they are. */
export async function renderAnswer(
  context: Context,
  operation: Operation,
  response: Response,
): Promise<Response> {
  const { template, request } = context;
  const { status, body, content } = response;
  if (template === undefined || content !== undefined || body === undefined || status >= 400) {
    return response;
  }
  const action = operation.action ?? actionOf(context.route, request.method);
  const variables = { ...callVariables(context, action), response: body, ...template.context };
  const bytes = await renderText(context, template.content, variables);
  const { body: _, ...rest } = response;
  return { ...rest, content: { type: `${template.content_type}; charset=utf-8`, bytes } };
}

/**
 * The answer to a run of a script endpoint, where its call names a template; undefined: it names none, or is an item
 * of a batch. Dispatch has seen to it that the template is there, and leaves this answer as it is.
 *
 * @param run    the result of the run, as it is answered without template
 * @param status of the script's own response; 200 without one
 */
export async function renderRun(
  context: Context,
  run: JsonObject,
  status = 200,
): Promise<Response | undefined> {
  const { template, platform } = context;
  if (template === undefined) return undefined;
  const variables = { ...callVariables(context, 'script'), response: run, ...template.context };
  const rendering = await platform.templates.render(
    template.content,
    variables,
    await tenantOf(context),
  );
  // odd but so: the type without charset, and a problem as bare text (docs/reference/templates.md#script-endpoints)
  if (rendering.ok) {
    return { status, content: { type: template.content_type, bytes: rendering.text } };
  }
  const type = 'application/json; charset=utf-8';
  const code: ErrorCode = 'template_failed';
  return {
    status: 400,
    headers: { [errorCodeHeader]: code },
    content: { type, bytes: rendering.problem },
  };
}

/** What every template knows of the call. */
export function callVariables({ params, user }: Context, action: string): JsonObject {
  return {
    instance: params.instance ?? '',
    action,
    ...(user !== undefined && { user: user.data.username }),
  };
}

/**
 * Renders a template.
 *
 * @throws ApiError 400 with what went wrong
 */
export async function renderText(
  context: Context,
  content: string,
  variables: JsonObject | Readonly<Record<string, unknown>>,
): Promise<string> {
  const rendering = await context.platform.templates.render(
    content,
    variables,
    await tenantOf(context),
  );
  if (!rendering.ok) throw refused(400, rendering.problem, 'template_failed');
  return rendering.text;
}

const itemActions: Readonly<Record<Method, string>> = {
  GET: 'retrieve',
  POST: 'update',
  PUT: 'update',
  PATCH: 'partial_update',
  DELETE: 'destroy',
};

/** What a call does, in the words of templates; an action is called as its path ends. */
function actionOf({ kind, paths }: Route, method: string): string {
  const isListed = kind === 'list';
  if (method === 'POST') {
    if (isListed) return 'create';
    if (kind !== 'detail') return (paths['v1.1'] ?? '').split('/').at(-2) ?? '';
  }
  if (isListed) return 'list';
  return itemActions[method === 'HEAD' ? 'GET' : (method as Method)]; // there is an operation for it
}
