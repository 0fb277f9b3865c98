import type { Effort } from './hand.ts';

/** The tasks: ten, and the run of a script, which belongs to the sixth. */
export type TaskName =
  | 'make a class of six fields'
  | 'find an object by a value'
  | 'change one value of an object'
  | 'delete one object'
  | 'give a user a right'
  | 'see why a script failed'
  | 'run a script and see its output'
  | 'create a user'
  | 'make an API key and get a first request as curl'
  | 'make a backup'
  | 'import a CSV of ten rows';

type Counts = Readonly<Partial<Record<TaskName, Effort>>>;

/**
 * What the tasks take in the admin pages of PocketBase 0.39.5, in the same browser and counted by the same hand
 * (count-pocketbase.ts): each in the way with the fewest presses that was found, from the page that it shows after
 * signing in, the collection `users`. Absent: it has nothing like it.
 */
const pocketBase: Counts = {
  // New collection, the name; New field, its type and its name, six times; Create
  'make a class of six fields': { clicks: 14, keys: 34 },
  // book, the search, the value, Enter
  'find an object by a value': { clicks: 2, keys: 11 },
  // book, the row, the field, Control+A, two digits, Save changes
  'change one value of an object': { clicks: 4, keys: 4 },
  // book, the box of the row, Delete, Yes
  'delete one object': { clicks: 4, keys: 0 },
  // book, settings, API rules, unlock the list rule, `@request.auth.id != ""`, Save changes
  'give a user a right': { clicks: 6, keys: 22 },
  // it runs no scripts that it stores: why a request failed. Logs; the line has the message
  'see why a script failed': { clicks: 1, keys: 0 },
  // New record, e-mail, password, the password again, Create
  'create a user': { clicks: 5, keys: 45 },
  // System, _superusers, the account, its menu, Impersonate, Generate token, Close, Close, book, API preview, curl
  'make an API key and get a first request as curl': { clicks: 11, keys: 0 },
  // Settings, Backups, Initialize new backup, Start backup
  'make a backup': { clicks: 4, keys: 0 },
};

/** What tasks may take for which PocketBase has nothing. */
const ownLimits: Counts = {
  // Scripts, greet, Run; the output is in view
  'run a script and see its output': { clicks: 3, keys: 0 },
  // book, Import, the file, Import
  'import a CSV of ten rows': { clicks: 5, keys: 0 },
};

/** Returns what a task may take. */
export function limitOf(task: TaskName): Effort {
  const limit = { ...pocketBase, ...ownLimits }[task];
  if (limit === undefined) throw new Error(`${task} needs a limit`);
  return limit;
}
