import { type LoggedRequest, shortRoute } from './request-data.ts';

/** What the lists of the interface contain, by the end of their path. */
const nouns: Readonly<Record<string, string>> = {
  admins: 'Admin',
  aliases: 'Alias',
  api_keys: 'API key',
  'backups/full': 'Backup',
  channels: 'Channel',
  classes: 'Class',
  dead_letters: 'Dead letter',
  devices: 'Device',
  'endpoints/data': 'Data endpoint',
  'endpoints/scripts': 'Script endpoint',
  groups: 'Group',
  invitations: 'Invitation',
  messages: 'Push message',
  objects: 'Object',
  restores: 'Restore',
  schedules: 'Schedule',
  sessions: 'Session',
  'snippets/config': 'Configuration of scripts',
  'snippets/scripts': 'Script',
  'snippets/templates': 'Template',
  traces: 'Run',
  triggers: 'Trigger',
  users: 'User',
  user_settings: 'User log-in',
};

/** What was done, by the end of the path of an action. */
const actions: Readonly<Record<string, string>> = {
  publish: 'got a message',
  rename: 'renamed',
  replay: 'processed again',
  resend: 'sent again',
  reset_key: 'got a new key',
  reset_link: 'got a new link',
  retry: 'run again',
  run: 'run',
  send_message: 'got a message',
};

const verbs: Readonly<Record<string, string>> = {
  POST: 'created',
  PUT: 'changed',
  PATCH: 'changed',
  DELETE: 'deleted',
};
const memberVerbs: typeof verbs = { POST: 'added', DELETE: 'removed' };

/** Returns what a request has changed: `Object 12 of book deleted`; undefined: there are no words for it. */
export function changeText({ method, route, ids }: LoggedRequest): string | undefined {
  const things: { readonly noun: string; key?: string | undefined }[] = [];
  let action: string | undefined;
  const parts = shortRoute(route).split('/').filter(Boolean);
  for (const [index, part] of parts.entries()) {
    const noun = nouns[`${parts[index - 1]}/${part}`] ?? nouns[part];
    const last = things.at(-1);
    if (noun !== undefined) things.push({ noun });
    else if (!part.startsWith('{')) action = part;
    else if (last !== undefined) last.key = ids[part.slice(1, -1)];
    if (noun !== undefined) action = undefined; // before it are names of families
  }
  const [thing, outer] = things.reverse();
  const isMember = outer?.noun === 'User' || outer?.noun === 'Group';
  const verb = action === undefined ? (isMember ? memberVerbs : verbs)[method] : actions[action];
  if (thing === undefined || verb === undefined) return undefined;
  const of = outer && (outer.noun === 'Class' ? '' : `${outer.noun.toLowerCase()} `);
  const place = of === undefined ? '' : ` of ${of}${outer?.key ?? ''}`;
  return `${thing.noun}${thing.key === undefined ? '' : ` ${thing.key}`}${place} ${verb}`;
}
