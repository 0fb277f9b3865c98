import {
  allRights,
  type Context,
  endpointRoute,
  type Family,
  idsFrom,
  instanceOf,
  type ListOf,
  type LoadedOf,
  listRoutes,
  notFound,
  prefixParameters,
  recordAt,
  validInput,
} from '../../shared/core/family.ts';
import { post } from '../../shared/core/resource/endpoint.ts';
import {
  readPartlyWritten,
  renameFields,
  unwritten,
} from '../../shared/core/resource/named-records.ts';
import { templateEntity } from '../../shared/table/entities/endpoints.ts';
import type { TemplateData } from '../../shared/table/records/records.ts';
import { predefinedTemplates } from '../../shared/templates/predefined.ts';
import {
  callVariables,
  renderText,
  storedTemplate,
} from '../../shared/templates/response-templates.ts';
import { renderFields, templateFields } from './fields.ts';
import { grants } from './grants.ts';
import {
  createTemplate,
  isTemplate,
  removeTemplate,
  renameTemplate,
  type TemplateView,
  templateKind,
  updateTemplate,
} from './write.ts';

const path = '/instances/{instance}/snippets/templates/';
const accessOfAdmins = { owner: allRights, full: allRights, write: 'LG', read: 'LG' };

const templateOfPath = recordAt(templateEntity, ['instance', '{template}']);

const resource: ListOf<TemplateData, TemplateView, typeof templateFields> = {
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
  record: templateOfPath,
  unwritten: (context) =>
    storedTemplate(undefined, instanceOf(context), context.params.template ?? ''),
  counter: idsFrom('template'),
  authorizeItem: (_, { data }) => {
    if (!isTemplate(data)) throw notFound();
  },
  readItems: (context, range) =>
    readPartlyWritten(context, templateKind, {
      range,
      unwritten: predefinedTemplates.map((data) =>
        unwritten(templateEntity, instanceOf(context), data),
      ),
      isShown: isTemplate,
    }),
  view: (_, items) => Promise.resolve(items),
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

const renderLoads = { stored: templateOfPath };

const renderRoute = endpointRoute({
  name: 'Template Render',
  operationNames: { POST: { id: 'renderTemplate', summary: 'Render a template' } },
  path: `${path}{template}/render/`,
  access: { ...accessOfAdmins, apiKey: 'LGA' },
  loads: renderLoads,
  response: { isAnyType: true },
  ...post(renderFields, async (context: Context<LoadedOf<typeof renderLoads>>, body) => {
    const { loaded, params } = context;
    const template = storedTemplate(loaded.stored, instanceOf(context), params.template ?? '');
    if (template === undefined || !isTemplate(template.data)) throw notFound();
    const { context: given } = validInput(renderFields, body, 'create');
    const variables = Object.keys(given).length > 0 ? given : template.data.context;
    const all = { ...callVariables(context, 'render'), ...variables };
    const bytes = await renderText(context, template.data.content, all);
    const type = `${template.data.content_type}; charset=utf-8`;
    return { status: 200, content: { type, bytes } };
  }),
});

/** Templates that render responses. */
export const templates: Family = {
  name: 'templates',
  grants,
  places: {
    '/instances/{instance}/snippets/templates/': '/i/{instance}/templates',
    '/instances/{instance}/snippets/templates/{template}/': '/i/{instance}/templates/{template}',
  },
  routes: [...listRoutes(resource), renderRoute],
};
