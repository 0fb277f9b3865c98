import { readOwners } from '../../shared/accounts/accounts.ts';
import { shownDetails } from '../../shared/backups/details.ts';
import {
  allRights,
  type Context,
  callingAccount,
  endpointRoute,
  type Family,
  type ListOf,
  listRoutes,
  notFound,
  type Route,
  recordAt,
  showFields,
} from '../../shared/core/family.ts';
import { linkPage } from '../../shared/core/resource/endpoint.ts';
import { cut } from '../../shared/core/resource/page.ts';
import type { Stored } from '../../shared/store/store.ts';
import { deploymentCounter } from '../../shared/table/counters.ts';
import { backupEntity, memberEntity } from '../../shared/table/entities/accounts.ts';
import { instanceEntity } from '../../shared/table/entities/instances.ts';
import type { BackupData } from '../../shared/table/records/backups.ts';
import type { Access } from '../../shared/values/access.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { isInstance } from '../../shared/values/keys/data-ids.ts';
import { backupFields } from './fields.ts';
import { grants } from './grants.ts';
import { jobs } from './jobs.ts';
import { restoreRoutes } from './restores.ts';
import { createBackup, deleteBackup } from './write.ts';

/** A backup with its author and the name of its instance. */
interface View {
  readonly data: BackupData;
  /** Null: the instance is deleted, or the account is no longer a member of it. */
  readonly instance: string | null;
  readonly author: JsonObject;
}

const ofAccount: Access = { account: allRights };
const ofInstance: Access = { owner: allRights, full: allRights };

/** What the lists of an account and of an instance share. */
const common = {
  item: 'id',
  fields: backupFields,
  links: [
    {
      name: 'self',
      type: 'detail',
      to: ({ data }: View, base: string) => `${versionOf(base)}/backups/full/${data.id}/`,
    },
  ],
  record: recordAt(backupEntity, ['account', '{id}']),
  authorizeItem: (context: Context, { data }: Stored<BackupData>) => {
    if (!isOfPath(context, data)) throw notFound();
  },
  view: views,
  show: showFields(backupFields, (_, { data, instance, author }: View) => ({
    instance,
    author,
    details: shownDetails(data.details),
  })),
  segment: ({ data }: View) => String(data.id),
  remove: deleteBackup,
} as const;

const accountBackups: ListOf<BackupData, View, typeof backupFields> = {
  ...common,
  name: 'Account Backup',
  noun: 'account backup',
  path: '/backups/full/',
  access: ofAccount,
  operationNames: {
    list: { id: 'listAccountBackups', summary: 'List the backups of all instances' },
    get: { id: 'getAccountBackup', summary: 'Get a backup of any instance' },
    delete: { id: 'deleteAccountBackup', summary: 'Delete a backup of any instance' },
  },
  readItems,
};

const instanceBackups: ListOf<BackupData, View, typeof backupFields> = {
  ...common,
  name: 'Full Backup',
  noun: 'backup',
  path: '/instances/{instance}/backups/full/',
  access: ofInstance,
  exportsData: true,
  counter: () => deploymentCounter('backup'),
  readItems,
  create: async (context, input) => viewOf(context, await createBackup(context, input.valid())),
};

/** Returns the start of the path of an instance: `/v1` or `/v1.1`. */
function versionOf(base: string): string {
  return base.slice(0, base.indexOf('/instances/'));
}

/** Returns the caller's backups: of the instance in the path, if there is one. */
async function readItems(context: Context, range: Parameters<typeof cut>[1]) {
  const account = callingAccount(context).data.id;
  const all = await backupEntity.listAll(context.platform.store, [account]); // 75 at most
  const shown = all.filter(({ data }) => isOfPath(context, data));
  return cut(
    shown.map((item) => ({ pk: item.data.id, item })),
    range,
  );
}

function isOfPath({ instanceId }: Context, { instance }: BackupData): boolean {
  return instanceId === undefined || isInstance(instance, instanceId);
}

async function views(context: Context, items: readonly Stored<BackupData>[]) {
  const author = await authorOf(context);
  const { store } = context.platform;
  const account = callingAccount(context).data.id;
  const [instances, members] = await Promise.all([
    instanceEntity.readAll(
      store,
      items.map(({ data }) => [data.instance]),
    ),
    memberEntity.readAll(
      store,
      items.map(({ data }) => [account, data.instance]),
    ),
  ]);
  return items.map(({ data }, at): View => {
    // its name may be a later one, which only members see
    const name = members[at] === undefined ? undefined : instances[at]?.data.name;
    return { data, author, instance: name ?? null };
  });
}

async function viewOf(context: Context, data: BackupData): Promise<View> {
  return { data, author: await authorOf(context), instance: context.params.instance ?? null };
}

async function authorOf(context: Context): Promise<JsonObject> {
  const { id } = callingAccount(context).data;
  return (await readOwners(context.platform.store, [id])).get(id) ?? {};
}

/** Was for the staff of the service: nobody has rights. */
const partialRoute: Route = endpointRoute({
  name: 'Partial Backup',
  path: '/instances/{instance}/backups/partial/',
  access: {},
  operations: {},
});

/** Backups of the contents of instances, and restores (docs/reference/backups.md). */
export const backups: Family = {
  name: 'backups',
  grants,
  jobs,
  places: {
    '/backups/': '/backups',
    '/instances/{instance}/backups/': '/i/{instance}/backups',
    '/instances/{instance}/restores/': '/i/{instance}/backups',
  },
  routes: [
    linkPage({
      name: 'Account Backups',
      noun: 'backup links of the account',
      path: '/backups/',
      access: ofAccount,
      links: { full: 'full/' },
    }),
    ...listRoutes(accountBackups),
    linkPage({
      name: 'Backups',
      noun: 'backup links',
      path: '/instances/{instance}/backups/',
      access: ofInstance,
      links: { full: 'full/' },
    }),
    ...listRoutes(instanceBackups),
    partialRoute,
    ...restoreRoutes,
  ],
};
