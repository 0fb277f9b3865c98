import * as accounts from '../../shared/table/entities/accounts.ts';
import * as channels from '../../shared/table/entities/channels.ts';
import * as classes from '../../shared/table/entities/classes.ts';
import * as deployment from '../../shared/table/entities/deployment.ts';
import * as endpoints from '../../shared/table/entities/endpoints.ts';
import * as instances from '../../shared/table/entities/instances.ts';
import * as jobs from '../../shared/table/entities/jobs.ts';
import * as push from '../../shared/table/entities/push.ts';
import * as runs from '../../shared/table/entities/runs.ts';
import * as scripts from '../../shared/table/entities/scripts.ts';
import * as users from '../../shared/table/entities/users.ts';

/** All that the files of entities export, by name. */
export const table = {
  ...accounts,
  ...channels,
  ...classes,
  ...deployment,
  ...endpoints,
  ...instances,
  ...jobs,
  ...push,
  ...runs,
  ...scripts,
  ...users,
};
