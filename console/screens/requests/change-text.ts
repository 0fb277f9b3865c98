import { type LoggedRequest, shortRoute } from './request-data.ts';

/** What the lists of the interface contain, by the last segments of their path. */
const nouns: Readonly<Record<string, string>> = {
  admins: 'Admin',
  aliases: 'Alias',
  api_keys: 'API key',
  'backups full': 'Backup',
  batch: 'Batch of requests',
  channels: 'Channel',
  classes: 'Class',
  dead_letters: 'Failed job',
  devices: 'Device',
  'endpoints data': 'Data endpoint',
  'endpoints scripts': 'Script endpoint',
  groups: 'Group',
  invitations: 'Invitation',
  messages: 'Push message',
  objects: 'Object',
  restores: 'Restore',
  schedules: 'Schedule',
  sessions: 'Session',
  'snippets config': 'Configuration of scripts',
  'snippets scripts': 'Script',
  'snippets templates': 'Template',
  traces: 'Run',
  triggers: 'Trigger',
  users: 'User',
  user_settings: 'User log-in',
};

/** What was done, by the end of the path of an action. */
const actions: Readonly<Record<string, string>> = {
  batch: 'sent',
  publish: 'got a message',
  rename: 'renamed',
  replay: 'retried',
  resend: 'sent again',
  reset_key: 'got a new key',
  reset_link: 'got a new link',
  retry: 'repeated',
  run: 'started',
  send_message: 'got a message',
};

const verbs: Readonly<Record<string, string>> = {
  POST: 'created',
  PUT: 'changed',
  PATCH: 'changed',
  DELETE: 'deleted',
};
const memberVerbs: typeof verbs = { POST: 'added', DELETE: 'removed' };

interface Thing {
  readonly noun: string;
  readonly key?: string | undefined;
}

/** Returns what a request has changed: `Object 12 of book deleted`; undefined: there are no words for it. */
export function changeText({ method, route, ids }: LoggedRequest): string | undefined {
  const parts = shortRoute(route).split('/').filter(Boolean);
  const [thing, outer] = thingsIn(parts, ids);
  const last = parts.at(-1) ?? '';
  const isMember = outer?.noun === 'User' || outer?.noun === 'Group';
  const verb = actions[last] ?? (isMember ? memberVerbs : verbs)[method];
  const isNamed = last.startsWith('{') || last in actions || thing?.noun === nounAt(parts, -1);
  if (thing === undefined || verb === undefined || !isNamed) return undefined;
  return [nameOf(thing), ...(outer === undefined ? [] : ['of', ownerOf(outer)]), verb].join(' ');
}

/** Returns the records that a route names, the innermost first. */
function thingsIn(parts: readonly string[], ids: LoggedRequest['ids']): readonly Thing[] {
  const things = parts.flatMap((_, index): Thing[] => {
    const noun = nounAt(parts, index);
    const key = ids[/^\{(\w+)\}$/.exec(parts[index + 1] ?? '')?.[1] ?? ''];
    return noun === undefined ? [] : [{ noun, key }];
  });
  return things.reverse();
}

function nounAt(parts: readonly string[], index: number): string | undefined {
  const part = parts.at(index) ?? '';
  return nouns[`${parts.at(index - 1)} ${part}`] ?? nouns[part];
}

function nameOf({ noun, key }: Thing): string {
  return key === undefined ? noun : `${noun} ${key}`;
}

function ownerOf(thing: Thing): string {
  const name = nameOf(thing);
  return thing.noun === 'Class'
    ? (thing.key ?? '')
    : name.slice(0, 1).toLowerCase() + name.slice(1);
}
