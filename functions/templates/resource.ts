import { queryValue } from '../../shared/core/http/message.ts';
import {
  callVariables,
  renderText,
  storedTemplate,
} from '../../shared/core/pipeline/response-templates.ts';
import { endpointRoute, post } from '../../shared/core/resource/endpoint.ts';
import { validInput } from '../../shared/core/resource/input.ts';
import type { ListResource } from '../../shared/core/resource/lists/list-resource.ts';
import { listRoutes } from '../../shared/core/resource/lists/list-routes.ts';
import { readNamedRows, renameFields } from '../../shared/core/resource/named-records.ts';
import { cut, gather, type Row, rowsIn } from '../../shared/core/resource/page.ts';
import { idsFrom, instanceOf } from '../../shared/core/resource/place.ts';
import { prefixParameters } from '../../shared/core/resource/query-parameters.ts';
import type { Context, Family, Known } from '../../shared/core/resource/route.ts';
import { as, templateEntity } from '../../shared/store/entities.ts';
import type { TemplateData } from '../../shared/store/records/records.ts';
import type { Key } from '../../shared/store/store.ts';
import { predefinedTemplates } from '../../shared/templates/predefined.ts';
import { allRights } from '../../shared/values/access.ts';
import { notFound } from '../../shared/values/errors/errors.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import type { RowRange } from '../../shared/values/paging.ts';
import { renderFields, templateFields } from './fields.ts';
import {
  createTemplate,
  isLiving,
  kind,
  removeTemplate,
  renameTemplate,
  type TemplateView,
  updateTemplate,
} from './write.ts';

const path = '/instances/{instance}/snippets/templates/';
const accessOfAdmins = { owner: allRights, full: allRights, write: 'LG', read: 'LG' };

function templateKey({ instance, params: { template } }: Known): Key | undefined {
  return instance === undefined || template === undefined
    ? undefined
    : templateEntity.key(instance, template);
}

const resource: ListResource<TemplateData, TemplateView> = {
  name: 'Template',
  path,
  item: 'template',
  access: { ...accessOfAdmins, apiKey: 'LG' },
  fields: templateFields,
  links: [
    { name: 'self', type: 'detail', to: '' },
    { name: 'rename', type: 'rename', to: 'rename/' },
  ],
  parameters: prefixParameters('name'),
  isBulky: true,
  key: templateKey,
  unwritten: (context) =>
    storedTemplate(undefined, instanceOf(context), context.params.template ?? ''),
  counter: idsFrom('template'),
  authorizeItem: (_, { data }) => {
    if (!isLiving(data)) throw notFound();
  },
  rows: async (context, range) => {
    const prefix = queryValue(context.request.query, 'name__startswith') ?? '';
    const isKept = ({ item: { data } }: Row<TemplateData>) =>
      isLiving(data) && data.name.startsWith(prefix);
    const [written, unwritten] = await Promise.all([
      gather(range, (part) => readNamedRows(context, kind, part), isKept),
      unwrittenRows(context, range),
    ]);
    const rows = cut([...rowsIn(written), ...unwritten.filter(isKept)], range);
    return 'isUndecided' in written && rows.length < range.limit
      ? { rows, isUndecided: true }
      : rows;
  },
  view: (_, items) => Promise.resolve(items),
  show: (_, { data }) => ({
    name: data.name,
    content: data.content,
    content_type: data.content_type,
    context: data.context,
    description: data.description,
  }),
  segment: ({ data }) => data.name,
  create: createTemplate,
  update: updateTemplate,
  remove: removeTemplate,
  actions: [
    {
      path: 'rename/',
      name: 'Rename',
      operationName: { id: 'renameTemplate', summary: 'Rename a template' },
      fields: renameFields,
      run: renameTemplate,
    },
  ],
};

/** Returns predefined templates of a range that were never changed or deleted. */
async function unwrittenRows(
  context: Context,
  range: RowRange,
): Promise<readonly Row<TemplateData>[]> {
  const wanted = predefinedTemplates.filter(
    ({ row }) => row > (range.above ?? -1) && row < (range.below ?? Number.POSITIVE_INFINITY),
  );
  if (wanted.length === 0) return [];
  const instance = instanceOf(context);
  const items = await context.platform.store.get(
    wanted.map(({ name }) => templateEntity.key(instance, name)),
  );
  return wanted.flatMap(({ name, row }, at) => {
    const item = items[at] === undefined ? storedTemplate(undefined, instance, name) : undefined;
    return item === undefined ? [] : [{ pk: row, item }];
  });
}

const renderRoute = endpointRoute({
  name: 'Template Render',
  operationNames: { POST: { id: 'renderTemplate', summary: 'Render a template' } },
  path: `${path}{template}/render/`,
  access: { ...accessOfAdmins, apiKey: 'LGA' },
  ...post(
    renderFields,
    async (context, body) => {
      const { records, params } = context;
      const item = as(templateEntity, records.item);
      const template = storedTemplate(item, instanceOf(context), params.template ?? '');
      if (template === undefined || !isLiving(template.data)) throw notFound();
      const { context: sent } = validInput(renderFields, body, 'create');
      const given = sent as JsonObject; // validated
      const variables = Object.keys(given).length > 0 ? given : template.data.context;
      const all = { ...callVariables(context, 'render'), ...variables };
      const bytes = await renderText(context, template.data.content, all);
      const type = `${template.data.content_type}; charset=utf-8`;
      return { status: 200, content: { type, bytes } };
    },
    (known) => ({ item: templateKey(known) }),
  ),
});

/** Templates that render responses. */
export const templates: Family = {
  name: 'templates',
  routes: [...listRoutes(resource), renderRoute],
};
