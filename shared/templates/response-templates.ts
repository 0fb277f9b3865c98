import { queryValue, type Request, type Response } from '../core/http/message.ts';
import { notAcceptable } from '../core/http/negotiation.ts';
import { sharedBodyMembers } from '../core/http/response-cache.ts';
import type { ResponseRenderer } from '../core/pipeline/exchange.ts';
import { tenantOf } from '../core/resource/context-values.ts';
import { unwritten } from '../core/resource/named-records.ts';
import type { Load } from '../core/routing/loads.ts';
import { parseParameter } from '../core/routing/path-parameters.ts';
import type { Rendering } from '../core/routing/rendering.ts';
import type { Context, Method, Operation, Route } from '../core/routing/route.ts';
import { as } from '../store/entity.ts';
import type { Stored } from '../store/store.ts';
import { templateEntity } from '../table/entities/endpoints.ts';
import type { TemplateData } from '../table/records/records.ts';
import { type ErrorCode, errorCodeHeader } from '../values/errors/error-codes.ts';
import { detailError } from '../values/errors/errors.ts';
import type { JsonObject } from '../values/json/json.ts';
import { predefinedTemplates } from './predefined.ts';

/* Responses that are rendered with a template (docs/reference/templates.md#use-with-other-resources). */

/** Renders responses with the templates that requests name. */
export const responseTemplates: ResponseRenderer = {
  wanted: wantedRendering,
  check: checkRendering,
  render: renderResponse,
};

/** Returns the load of the template that a request wants for its response; undefined: it names none. */
function wantedRendering(request: Request): Load<Rendering | undefined> | undefined {
  const name = templateName(request);
  if (name === undefined) return undefined;
  const { template } = parseParameter('template', name); // undefined for text that is no valid name
  return {
    key: ({ instance }) =>
      instance === undefined || template === undefined
        ? undefined
        : templateEntity.key(instance, template),
    take: (item, { instance }) =>
      instance === undefined
        ? undefined
        : storedTemplate(as(templateEntity, item), instance, name)?.data,
  };
}

function templateName({ headers, query }: Request): string | undefined {
  const header = headers['x-template-response'] || headers['x-template'];
  if (header) return header.toLowerCase();
  if (query.size === 0) return undefined;
  const name = queryValue(query, 'template_response') || queryValue(query, 'template');
  return name ? name.toLowerCase() : undefined;
}

/**
 * Returns the template of a name: the stored one, or an unchanged predefined one, whose version is empty. A removed one
 * is stored as such.
 */
export function storedTemplate(
  item: Stored<TemplateData> | undefined,
  instance: number,
  name: string,
): Stored<TemplateData> | undefined {
  if (item !== undefined) return item;
  const data = predefinedTemplates.find((template) => template.name === name);
  return data && unwritten(templateEntity, instance, data);
}

/**
 * Checks whether the response can be rendered with the requested template, before the operation runs.
 *
 * @throws ApiError 400 where the route has nothing to show, 406 when the template does not exist
 */
function checkRendering({ route, rendering }: Context): void {
  if (route.isUntemplated)
    throw detailError(400, 'This endpoint does not support templates.', 'template_unsupported');
  if (rendering === undefined || rendering.isRemoved) throw notAcceptable();
}

/** Renders a response with its template; responses without JSON, and error responses, stay unchanged. */
async function renderResponse(
  context: Context,
  operation: Operation,
  response: Response,
): Promise<Response> {
  const { rendering, request } = context;
  const { status, body, content } = response;
  if (rendering === undefined || content !== undefined || body === undefined || status >= 400) {
    return response;
  }
  const action = operation.action ?? actionOf(context.route, request.method);
  const variables = {
    ...callVariables(context, action),
    response: sharedBodyMembers(body),
    ...rendering.context,
  };
  const bytes = await renderText(context, rendering.content, variables);
  const { body: _, ...rest } = response;
  return { ...rest, content: { type: `${rendering.content_type}; charset=utf-8`, bytes } };
}

/**
 * Renders the response to a run of a script endpoint; undefined: the request names no template, or is an item of a
 * batch. Dispatch has checked that the template exists, and leaves this response unchanged.
 *
 * @param run the result of the run, as it is returned without template
 * @param status of the script's own response; 200 without one
 */
export async function renderRun(
  context: Context,
  run: JsonObject,
  status = 200,
): Promise<Response | undefined> {
  const { rendering, platform } = context;
  if (rendering === undefined) return undefined;
  const variables = { ...callVariables(context, 'script'), response: run, ...rendering.context };
  const rendered = await platform.templates.render(
    rendering.content,
    variables,
    await tenantOf(context),
  );
  // deliberate: the type without charset, and a problem as bare text (docs/reference/templates.md#script-endpoints)
  if (rendered.ok) {
    return { status, content: { type: rendering.content_type, bytes: rendered.text } };
  }
  const type = 'application/json; charset=utf-8';
  const code: ErrorCode = 'template_failed';
  return {
    status: 400,
    headers: { [errorCodeHeader]: code },
    content: { type, bytes: rendered.problem },
  };
}

/** Returns the variables of every template. */
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
 * @throws ApiError 400 with the problem
 */
export async function renderText(
  context: Context,
  content: string,
  variables: JsonObject | Readonly<Record<string, unknown>>,
): Promise<string> {
  const rendered = await context.platform.templates.render(
    content,
    variables,
    await tenantOf(context),
  );
  if (!rendered.ok) throw detailError(400, rendered.problem, 'template_failed');
  return rendered.text;
}

const itemActions: Readonly<Record<Method, string>> = {
  GET: 'retrieve',
  POST: 'update',
  PUT: 'update',
  PATCH: 'partial_update',
  DELETE: 'destroy',
};

/** Returns the action of a request in the words of templates; an action has the name at the end of its path. */
function actionOf({ kind, paths }: Route, method: string): string {
  const isListed = kind === 'list';
  if (method === 'POST') {
    if (isListed) return 'create';
    if (kind !== 'detail') return (paths['v1.1'] ?? '').split('/').at(-2) ?? '';
  }
  if (isListed) return 'list';
  return itemActions[method === 'HEAD' ? 'GET' : (method as Method)]; // it has an operation
}
