import { allRights, endpointRoute, type Family } from '../../shared/core/family.ts';
import type { Operation } from '../../shared/core/routing/route.ts';
import type { UserSettingsData } from '../../shared/table/records/user-accounts.ts';
import { userSettingsLoads, userSettingsOf } from '../../shared/users/settings/user-settings.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { userSettingsFields } from './fields.ts';
import { grants } from './grants.ts';
import { previewRoute } from './preview.ts';
import { type SettingsContext, saveSettings } from './save.ts';

/** Returns settings as responses show them: of secrets, only whether they exist. */
function showSettings({ providers, mails, ...settings }: UserSettingsData): JsonObject {
  const shown = providers.map(({ secret, ...provider }) => ({
    ...provider,
    has_secret: secret !== undefined,
  }));
  return { ...settings, providers: shown, mails } as unknown as JsonObject;
}

function update(mode: 'replace' | 'patch'): Operation<SettingsContext['loaded']> {
  return {
    right: 'U',
    run: async (context) => ({
      status: 200,
      body: showSettings(await saveSettings(context, mode)),
    }),
  };
}

const route = endpointRoute({
  name: 'User Settings',
  noun: 'user settings',
  description: 'How the users of the instance register and log in.',
  path: '/instances/{instance}/user_settings/',
  v1Path: null,
  access: { owner: allRights, full: allRights },
  loads: userSettingsLoads,
  operations: {
    GET: {
      right: 'G',
      run: async (context) => ({ status: 200, body: showSettings(userSettingsOf(context)) }),
    },
    PUT: update('replace'),
    PATCH: update('patch'),
  },
  forms: { PUT: userSettingsFields },
});

/** The settings of an instance's users (docs/reference/user-accounts.md#settings). */
export const userSettings: Family = {
  name: 'user-settings',
  grants,
  places: { '/instances/{instance}/user_settings/': '/i/{instance}/user-settings' },
  routes: [route, previewRoute],
};
