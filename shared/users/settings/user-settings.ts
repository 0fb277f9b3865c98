import { type LoadedOf, recordAt } from '../../core/resource/loads/loads.ts';
import type { Route } from '../../core/routing/route.ts';
import type { Stored } from '../../store/store.ts';
import { dataOfName } from '../../table/data-ids.ts';
import { instanceNameEntity } from '../../table/entities/instances.ts';
import { userSettingsEntity } from '../../table/entities/user-accounts.ts';
import type { UserSettingsData } from '../../table/records/user-accounts.ts';

/** Settings of an instance that has none: everything is off. */
export const noUserSettings: UserSettingsData = {
  email: 'off',
  confirmed: 'optional',
  guests: false,
  codes: false,
  providers: [],
  redirects: [],
  mails: {},
};

/** Loads the settings of the users of an instance. */
export const userSettingsLoads = { userSettings: recordAt(userSettingsEntity, ['instance']) };

/** Returns the settings that a request has loaded. */
export function userSettingsOf({
  loaded: { userSettings },
}: {
  readonly loaded: LoadedOf<typeof userSettingsLoads>;
}): UserSettingsData {
  return settingsIn(userSettings);
}

/** Returns the settings of an item, or those of an instance that has none. */
export function settingsIn(item: Stored<UserSettingsData> | undefined): UserSettingsData {
  return item?.data ?? noUserSettings;
}

/**
 * Lets a path exist only in instances whose settings say so: in others it is unknown
 * (docs/reference/user-accounts.md#off).
 */
export function existsWhere(isOn: (settings: UserSettingsData) => boolean): Route['exists'] {
  return async ({ store }, { instance }) => {
    if (instance === undefined) return false;
    const data = dataOfName((await instanceNameEntity.read(store, instance))?.data);
    return data !== undefined && isOn(settingsIn(await userSettingsEntity.read(store, data)));
  };
}
