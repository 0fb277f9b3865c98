import type { Family, Route } from '../shared/core/family.ts';
import { routesOf } from '../shared/core/routing/route.ts';
import { account } from './account/resource.ts';
import { apiKeys } from './api-keys/resource.ts';
import { backups } from './backups/resource.ts';
import { batch } from './batch/resource.ts';
import { channelPolls } from './channel-polls/resource.ts';
import { channels } from './channels/resource.ts';
import { classes } from './classes/resource.ts';
import { dataEndpoints } from './data-endpoints/resource.ts';
import { deadLetters } from './dead-letters/resource.ts';
import { instances } from './instances/resource.ts';
import { limits } from './limits/resource.ts';
import { objects } from './objects/resource.ts';
import { push } from './push/resource.ts';
import { requestLog } from './request-log/resource.ts';
import { root } from './root/resource.ts';
import { schedules } from './schedules/resource.ts';
import { schema } from './schema/resource.ts';
import { scriptEndpoints } from './script-endpoints/resource.ts';
import { scripts } from './scripts/resource.ts';
import { templates } from './templates/resource.ts';
import { transfer } from './transfer/resource.ts';
import { triggers } from './triggers/resource.ts';
import { usage } from './usage/resource.ts';
import { userAccounts } from './user-accounts/resource.ts';
import { userRedirects } from './user-redirects/resource.ts';
import { userSettings } from './user-settings/resource.ts';
import { users } from './users/resource.ts';

/** THE MAP: every family of paths, one line each. A new family is a folder in this directory and a line here. */
export const api: readonly Family[] = [
  root,
  account,
  instances,
  apiKeys,
  classes,
  objects,
  users,
  userAccounts,
  userRedirects,
  userSettings,
  dataEndpoints,
  templates,
  channels,
  channelPolls,
  push,
  scripts,
  scriptEndpoints,
  schedules,
  triggers,
  transfer,
  backups,
  deadLetters,
  limits,
  requestLog,
  schema,
  usage,
  batch,
];

/** Every route of the interface, each with the name of its family. */
export const routes: readonly Route[] = api.flatMap(routesOf);
