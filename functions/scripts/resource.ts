import { queryValue } from '../../shared/core/http/message.ts';
import type { ListResource } from '../../shared/core/resource/lists/list-resource.ts';
import { listRoutes } from '../../shared/core/resource/lists/list-routes.ts';
import { gather, rowsOf } from '../../shared/core/resource/page.ts';
import { idsFrom, instanceOf } from '../../shared/core/resource/place.ts';
import { prefixParameters } from '../../shared/core/resource/query-parameters.ts';
import type { Context, Family, Known } from '../../shared/core/resource/route.ts';
import { traceRoutes } from '../../shared/scripts/trace-routes.ts';
import {
  as,
  configEntity,
  scriptEntity,
  scriptPrefix,
  scriptSourceEntity,
} from '../../shared/store/entities.ts';
import type { ScriptData } from '../../shared/store/records/scripts.ts';
import type { Key } from '../../shared/store/store.ts';
import type { Right } from '../../shared/values/access.ts';
import { parentNotFound } from '../../shared/values/errors/errors.ts';
import { access } from './access.ts';
import { scriptFields } from './fields.ts';
import { below, path, scriptKey, v1Path } from './paths.ts';
import { type ScriptView, viewScripts } from './read.ts';
import { runRoute } from './run.ts';
import { runtimesRoute } from './runtimes.ts';
import { createScript, removeScript, updateScript } from './write.ts';

const resource: ListResource<ScriptData, ScriptView> = {
  name: 'Script',
  path,
  v1Path,
  item: 'id',
  access,
  fields: scriptFields,
  links: [
    { name: 'self', type: 'detail', to: '' },
    runtimesLink('snippets/scripts', 'v1.1'),
    runtimesLink('codeboxes', 'v1'),
    { name: 'run', type: 'run', to: 'run/' },
    { name: 'traces', type: 'list', to: 'traces/' },
  ],
  parameters: prefixParameters('label'),
  isBulky: true,
  key: scriptKey,
  reads: readsFor,
  counter: idsFrom('script'),
  rows: (context, range) => {
    const { store } = context.platform;
    const prefix = queryValue(context.request.query, 'label__startswith') ?? '';
    const { pk } = scriptEntity.key(instanceOf(context), 0);
    return gather<ScriptData>(
      range,
      (part) => rowsOf(store, pk, scriptPrefix, part),
      ({ item: { data } }) => data.label.startsWith(prefix),
    );
  },
  view: viewScripts,
  show: (_, { data, source }) => ({
    id: data.id,
    runtime_name: data.runtime_name,
    source,
    config: data.config,
    label: data.label,
    description: data.description,
    created_at: data.created_at,
    updated_at: data.updated_at,
  }),
  segment: ({ data }) => String(data.id),
  create: createScript,
  update: updateScript,
  remove: removeScript,
};

/** Returns reads for a right: who may change a script depends on full access, also in the instance's configuration. */
function readsFor(known: Known, right: Right): Readonly<Record<string, Key | undefined>> {
  const config = known.instance === undefined ? undefined : configEntity.key(known.instance);
  switch (right) {
    case 'G':
      return { source: sourceKey(known) };
    case 'U':
      return { source: sourceKey(known), config };
    case 'C':
      return { config };
    default:
      return {};
  }
}

function runtimesLink(list: string, version: 'v1.1' | 'v1') {
  return {
    name: 'runtimes',
    type: 'list',
    versions: [version],
    to: (_: ScriptView, base: string) => `${base}/${list}/runtimes/`,
  };
}

function sourceKey({ instance, params }: Known) {
  return instance === undefined || params.id === undefined
    ? undefined
    : scriptSourceEntity.key(instance, params.id);
}

function parentScript({ records }: Context): number {
  const found = as(scriptEntity, records.script);
  if (found === undefined) throw parentNotFound('Script');
  return found.data.id;
}

/** Scripts, their runs and the traces of these. */
export const scripts: Family = {
  name: 'scripts',
  routes: [
    runtimesRoute,
    ...listRoutes(resource),
    runRoute,
    ...traceRoutes({
      name: 'Script',
      paths: below('{id}/traces/'),
      item: 'member',
      kind: 'script',
      reads: (known) => ({ script: scriptKey(known) }),
      parent: parentScript,
      showsCall: false,
    }),
  ],
};
