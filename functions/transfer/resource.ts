import {
  type Context,
  computed,
  endpointRoute,
  type Family,
  type Fields,
  type Route,
  validInput,
} from '../../shared/core/family.ts';
import { linkPath } from '../../shared/core/resource/links.ts';
import { exportParameters, readExport } from './export-page.ts';
import { importFields } from './fields.ts';
import { grants } from './grants.ts';
import { importPage } from './import-page.ts';

const exportFields: Fields = {
  next: computed('string', { nullable: true }),
  prev: computed('string', { nullable: true }),
  objects: computed('list', { child: computed('nested object', { children: {}, isOpen: true }) }),
};

const exportRoute: Route = endpointRoute({
  name: 'Export',
  operationNames: {
    GET: { id: 'exportRecords', summary: 'Export full records of an instance, page by page' },
  },
  description: 'Full records of the instance, page by page, with hashes of passwords.',
  path: '/instances/{instance}/export/',
  v1Path: null,
  access: { owner: 'G' },
  isUntemplated: true,
  isUnbatchable: true,
  response: { fields: exportFields, name: 'Export Page' },
  operations: {
    GET: {
      right: 'G',
      parameters: exportParameters,
      run: async (context: Context) => {
        return {
          status: 200,
          body: await readExport(context, linkPath(context, exportRoute.paths)),
        };
      },
    },
  },
});

const importRoute: Route = endpointRoute({
  name: 'Import',
  operationNames: {
    POST: { id: 'importRecords', summary: 'Import a page of records of an export' },
  },
  description:
    'Writes a page of records of an export. A page that is written again changes nothing.',
  path: '/instances/{instance}/import/',
  v1Path: null,
  access: { owner: 'A' },
  isUntemplated: true,
  isUnbatchable: true,
  forms: { POST: importFields },
  response: {
    fields: {
      created: computed('integer'),
      unchanged: computed('integer'),
      first: computed('integer', { nullable: true }),
    },
    name: 'Import Result',
  },
  operations: {
    POST: {
      right: 'A',
      run: async (context) => {
        const input = validInput(importFields, await context.body(), 'create');
        return { status: 200, body: { ...(await importPage(context, input)) } };
      },
    },
  },
});

/** Full records of an instance, to be moved elsewhere (docs/reference/transfer.md). */
export const transfer: Family = {
  name: 'transfer',
  grants,
  places: { '/instances/{instance}/': '/i/{instance}' },
  routes: [exportRoute, importRoute],
};
