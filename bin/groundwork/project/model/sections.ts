import * as v from 'valibot';
import { apiKeyFields } from '../../../../functions/api-keys/fields.ts';
import { channelFields } from '../../../../functions/channels/fields.ts';
import { classFields } from '../../../../functions/classes/fields.ts';
import { dataEndpointFields } from '../../../../functions/data-endpoints/fields.ts';
import { instanceFields } from '../../../../functions/instances/fields.ts';
import { scheduleFields } from '../../../../functions/schedules/fields.ts';
import { scriptEndpointFields } from '../../../../functions/script-endpoints/fields.ts';
import { scriptFields } from '../../../../functions/scripts/fields.ts';
import { templateFields } from '../../../../functions/templates/fields.ts';
import { triggerFields } from '../../../../functions/triggers/fields.ts';
import { builtInChannels } from '../../../../shared/channels/built-in-channels.ts';
import { processVariables } from '../../../../shared/ports/setting-variables.ts';
import { predefinedTemplates } from '../../../../shared/templates/predefined.ts';
import { groupFields } from '../../../../shared/users/fields.ts';
import { isJsonObject } from '../../../../shared/values/json/json.ts';
import { at } from '../../../../shared/values/text/request-path.ts';
import { slug } from '../../../../shared/values/text/slug.ts';
import { text } from '../../../../shared/values/values.ts';
import { isScriptPath } from '../../path-parts.ts';
import { initialKey } from '../../settings.ts';
import { fieldsOf, fieldsSchema, shortFields } from './class-fields.ts';
import { type NamedMembers, type ProjectEntry, writableMembers } from './members.ts';
import { listSection, type Section, settingsSection } from './section.ts';
import { userMembers, usersToBody } from './user-members.ts';

const { name: _name, ...instanceMembers } = writableMembers(instanceFields);
const { label: _label, source: _source, ...scriptMembers } = writableMembers(scriptFields);
const { name: _className, schema: _schema, ...classMembers } = writableMembers(classFields);

const filePath = v.pipe(
  text(),
  v.check(isScriptPath, 'is not a path within the project, without names that begin with a dot'),
);

/** All sections in the order of a push: a section refers only to those before it. */
export const sections: readonly Section[] = [
  settingsSection('instance', at``, instanceMembers),
  {
    // the rules of the configuration of a script
    ...settingsSection('config', at`snippets/config/`, only(scriptMembers, 'config')),
    fromFile: (given) => ({ config: given }),
    toFile: (shown) => (isJsonObject(shown.config) ? shown.config : {}),
  },
  listSection('groups', at`groups/`, {
    fields: groupFields,
    members: writableMembers(groupFields),
    nameSchema: v.pipe(text({ max: 64 }), v.nonEmpty()),
    nameOf: ({ name, label }) => String(name ?? label), // groups of the old service have a label only
    fromFile: groupFromFile,
    toFile: groupToFile,
    key: 'id',
  }),
  listSection('classes', at`classes/`, {
    fields: classFields,
    members: { ...classMembers, fields: { schema: fieldsSchema, initial: {} } },
    references: { group: 'groups' },
    builtIn: { user_profile: { description: 'Class that holds profiles for users.' } },
    fromRecord: ({ schema, ...record }) => ({ ...record, fields: fieldsOf(schema) }),
    toBody: ({ fields, ...body }) => ({ ...body, ...(fields !== undefined && { schema: fields }) }),
    toFile: ({ fields, ...shown }) => ({
      ...shown,
      ...(fields !== undefined && { fields: shortFields(fieldsOf(fields)) }),
    }),
  }),
  listSection('channels', at`channels/`, {
    fields: channelFields,
    references: { group: 'groups' },
    builtIn: Object.fromEntries(
      builtInChannels.map(({ name, type, custom_publish }) => [name, { type, custom_publish }]),
    ),
  }),
  listSection('templates', at`snippets/templates/`, {
    fields: templateFields,
    builtIn: Object.fromEntries(
      predefinedTemplates.map(({ name, row: _row, ...template }) => [name, template]),
    ),
  }),
  listSection('scripts', at`snippets/scripts/`, {
    fields: scriptFields,
    nameMember: 'label',
    members: { file: { schema: filePath }, ...scriptMembers },
    inFiles: ['source'],
    fromFile: (given) => ({ runtime_name: defaultRuntime(given.file), ...given }),
    toFile: ({ file, runtime_name: runtime, ...shown }) => ({
      file,
      ...(runtime !== defaultRuntime(file) && { runtime_name: runtime }),
      ...shown,
    }),
  }),
  listSection('script_endpoints', at`endpoints/scripts/`, {
    fields: scriptEndpointFields['v1.1'],
    references: { script: 'scripts' },
  }),
  listSection('data_endpoints', at`endpoints/data/`, { fields: dataEndpointFields }),
  listSection('triggers', at`triggers/`, {
    fields: triggerFields['v1.1'],
    nameMember: 'label',
    references: { script: 'scripts' },
  }),
  listSection('schedules', at`schedules/`, {
    fields: scheduleFields['v1.1'],
    nameMember: 'label',
    references: { script: 'scripts' },
  }),
  listSection('api_keys', at`api_keys/`, {
    fields: apiKeyFields,
    nameMember: 'description',
    builtIn: { [initialKey]: {} },
  }),
  settingsSection('push', at`push_notifications/apns/config/`, pushMembers()),
  {
    ...settingsSection('users', at`user_settings/`, userMembers()),
    toBody: (entry) => usersToBody(entry, processVariables()),
  },
];

function only(members: NamedMembers, name: string): NamedMembers {
  return Object.fromEntries(Object.entries(members).filter(([each]) => each === name));
}

/** The key of an entry is the name of its group, or the label of a group without name. */
function groupFromFile(given: ProjectEntry, key: string): ProjectEntry {
  const name = Object.hasOwn(given, 'name') ? given.name : groupNameOf(key);
  return { ...given, name, label: given.label ?? (name === null ? key : '') };
}

function groupToFile({ name = null, label, ...shown }: ProjectEntry, key: string): ProjectEntry {
  const isLabel = name === null && label === key;
  return {
    ...(name !== groupNameOf(key) && { name }),
    ...(label !== undefined && !isLabel && { label }),
    ...shown,
  };
}

function groupNameOf(key: string): string | null {
  return v.is(slug(), key) ? key : null;
}

/** Returns the runtime of a script whose entry has none. */
function defaultRuntime(file: unknown): string {
  return String(file).endsWith('.py') ? 'python' : 'nodejs';
}

/** Settings of push services without their credentials. */
function pushMembers(): NamedMembers {
  const schema = v.nullable(v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(200)));
  const names = ['production', 'development'].flatMap((environment) =>
    ['bundle_identifier', 'certificate_name'].map((name) => `${environment}_${name}`),
  );
  return Object.fromEntries(names.map((name) => [name, { schema, initial: null }]));
}
