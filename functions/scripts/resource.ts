import {
  type Family,
  idsFrom,
  instanceOf,
  type ListOf,
  listRoutes,
  prefixParameters,
  rowsOf,
  showFields,
} from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import { requiredLoad } from '../../shared/core/resource/loads/loads.ts';
import { gather } from '../../shared/core/resource/page.ts';
import { traceRoutes } from '../../shared/scripts/trace-routes.ts';
import { scriptEntity } from '../../shared/table/entities/scripts.ts';
import type { ScriptData } from '../../shared/table/records/scripts.ts';
import { parentNotFound } from '../../shared/values/errors/errors.ts';
import { scriptAccess } from './access.ts';
import { scriptFields } from './fields.ts';
import { grants } from './grants.ts';
import { jobs } from './jobs.ts';
import { type ScriptContext, scriptLoads } from './loads.ts';
import { belowScripts, scriptOfPath, scriptsPath, scriptsV1Path } from './paths.ts';
import { type ScriptView, viewScripts } from './read.ts';
import { runRoute } from './run.ts';
import { runtimesRoute } from './runtimes.ts';
import { createScript, removeScript, updateScript } from './write.ts';

const resource: ListOf<ScriptData, ScriptView, typeof scriptFields, ScriptContext['loaded']> = {
  name: 'Script',
  path: scriptsPath,
  v1Path: scriptsV1Path,
  item: 'id',
  access: scriptAccess,
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
  record: scriptOfPath,
  loads: scriptLoads,
  counter: idsFrom('script'),
  readItems: (context, range) => {
    const { store } = context.platform;
    const prefix = queryValue(context.request.query, 'label__startswith') ?? '';
    const instance = instanceOf(context);
    return gather<ScriptData>(
      range,
      (part) => rowsOf(store, scriptEntity, [instance], part),
      ({ item: { data } }) => data.label.startsWith(prefix),
    );
  },
  view: viewScripts,
  show: showFields(scriptFields, (_, { source }) => ({ source })),
  segment: ({ data }) => String(data.id),
  create: createScript,
  update: updateScript,
  remove: removeScript,
};

function runtimesLink(list: string, version: 'v1.1' | 'v1') {
  return {
    name: 'runtimes',
    type: 'list',
    versions: [version],
    to: (_: ScriptView, base: string) => `${base}/${list}/runtimes/`,
  };
}

/** Scripts, their runs and the traces of these. */
export const scripts: Family = {
  name: 'scripts',
  grants,
  jobs,
  places: {
    '/instances/{instance}/snippets/scripts/': '/i/{instance}/scripts',
    '/instances/{instance}/snippets/scripts/{id}/': '/i/{instance}/scripts/{id}',
  },
  routes: [
    runtimesRoute,
    ...listRoutes(resource),
    runRoute,
    ...traceRoutes({
      name: 'Script',
      noun: 'a script',
      paths: belowScripts('{id}/traces/'),
      item: 'member',
      kind: 'script',
      loads: { script: requiredLoad(scriptOfPath, () => parentNotFound('Script')) },
      parent: ({ loaded }) => loaded.script.data.id,
      showsCall: false,
    }),
  ],
};
