import { publicLink } from '../../shared/accounts/keys.ts';
import {
  allRights,
  type Context,
  type Family,
  idsFrom,
  instanceOf,
  type ListOf,
  listRoutes,
  prefixParameters,
  showFields,
} from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import type { Link } from '../../shared/core/resource/links.ts';
import { readNamedItems, renameFields } from '../../shared/core/resource/named-records.ts';
import { gather } from '../../shared/core/resource/page.ts';
import { onlyIn } from '../../shared/core/routing/route.ts';
import { type Version, versions } from '../../shared/core/routing/versions.ts';
import { scriptLink, scriptWord, withScript } from '../../shared/scripts/script-reference.ts';
import type { ScriptEndpointData } from '../../shared/table/records/scripts.ts';
import type { ItemRange } from '../../shared/values/paging.ts';
import { type EndpointFields, scriptEndpointFields } from './fields.ts';
import { grants } from './grants.ts';
import { scriptEndpointOfPath } from './loads.ts';
import { publicPaths, scriptEndpointsPath, scriptEndpointsV1Path } from './paths.ts';
import { scriptEndpointRunRoutes } from './run-routes.ts';
import { endpointTraces } from './traces.ts';
import {
  createScriptEndpoint,
  removeScriptEndpoint,
  renameScriptEndpoint,
  resetLink,
  scriptEndpointKind,
  updateScriptEndpoint,
} from './write.ts';

interface View {
  readonly data: ScriptEndpointData;
  /** Text of its public link. */
  readonly link: string;
}

/** Returns the resource of script endpoints in the words of a version. */
function resourceIn(version: Version): ListOf<ScriptEndpointData, View, EndpointFields> {
  const fields = scriptEndpointFields[version];
  const word = scriptWord[version];
  const change =
    <Args extends readonly unknown[]>(
      make: (context: Context, ...args: Args) => Promise<ScriptEndpointData>,
    ) =>
    async (context: Context, ...args: Args) =>
      viewOf(context, await make(context, ...args));
  return {
    name: 'Script Endpoint',
    path: scriptEndpointsPath,
    v1Path: scriptEndpointsV1Path,
    item: 'endpoint',
    access: { owner: allRights, full: allRights, write: allRights, read: 'LG' },
    fields,
    links: linksIn(version),
    parameters: prefixParameters('name'),
    record: scriptEndpointOfPath,
    counter: idsFrom('endpoint'),
    readItems: (context, range) => {
      const prefix = queryValue(context.request.query, 'name__startswith') ?? '';
      return gather<ScriptEndpointData>(
        range,
        (part) => readLiving(context, part),
        ({ item: { data } }) => data.name.startsWith(prefix),
      );
    },
    view: async (context, items) =>
      Promise.all((await withScript(context, items)).map(({ data }) => viewOf(context, data))),
    show: showFields(fields, (_, { data, link }) => ({ public_link: link, [word]: data.script })),
    segment: ({ data }) => data.name,
    create: change(createScriptEndpoint),
    update: change(updateScriptEndpoint),
    remove: removeScriptEndpoint,
    actions: [
      {
        path: 'reset_link/',
        name: 'Reset Link',
        operationName: { id: 'resetPublicLink', summary: 'Reset the link of a script endpoint' },
        fields: {},
        run: change(resetLink),
      },
      {
        path: 'rename/',
        name: 'Rename',
        operationName: { id: 'renameScriptEndpoint', summary: 'Rename a script endpoint' },
        fields: renameFields,
        run: change(renameScriptEndpoint),
      },
    ],
  };
}

/** Link names have hyphens, as clients know them (docs/reference/scripts.md#script-endpoints). */
function linksIn(version: Version): readonly Link<View>[] {
  return [
    { name: 'self', type: 'detail', to: '' },
    { name: 'run', type: 'run', to: 'run/' },
    { name: 'reset-link', type: 'link', to: 'reset_link/' },
    scriptLink(version),
    {
      name: 'public-link',
      type: 'public_link',
      to: ({ link }, base) => `${base}${publicPaths[version]}${link}/`,
    },
    { name: 'traces', type: 'list', to: 'traces/' },
  ];
}

async function readLiving(context: Context, range: ItemRange) {
  const listItems = await readNamedItems<ScriptEndpointData>(context, scriptEndpointKind, range);
  const living = new Set(
    await withScript(
      context,
      listItems.flatMap(({ item }) => item ?? []),
    ),
  );
  return listItems.map(({ pk, item }) => ({
    pk,
    item: item && living.has(item) ? item : undefined,
  }));
}

async function viewOf(context: Context, data: ScriptEndpointData): Promise<View> {
  return { data, link: await publicLink(context.platform.secrets, instanceOf(context), data) };
}

/** Script endpoints: names under which scripts run over HTTP. */
export const scriptEndpoints: Family = {
  name: 'script-endpoints',
  grants,
  places: {
    '/instances/{instance}/endpoints/scripts/': '/i/{instance}/endpoints',
    '/instances/{instance}/endpoints/scripts/{endpoint}/':
      '/i/{instance}/endpoints/scripts/{endpoint}',
    '/instances/{instance}/webhooks/': '/i/{instance}/endpoints',
    '/instances/{instance}/webhooks/{endpoint}/': '/i/{instance}/endpoints/scripts/{endpoint}',
    '/instances/{instance}/sockets/': '/i/{instance}/endpoints',
  },
  routes: [
    ...versions.flatMap((version) => onlyIn(version, listRoutes(resourceIn(version)))),
    ...scriptEndpointRunRoutes,
    ...endpointTraces,
  ],
};
