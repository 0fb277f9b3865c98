import { readSocial, socialSettings } from '../../accounts/social-variables.ts';
import type { Settings } from '../../ports/ports.ts';
import {
  listPublic,
  type PublicSetting,
  processVariables,
  readVariables,
  type SettingVariable,
  type Variables,
} from '../../ports/setting-variables.ts';
import { commonSettings } from '../../ports/settings.ts';
import type { BackupSettings } from './backup/storage.ts';
import { availableBytes, planMemory } from './memory.ts';
import { StartError } from './server/start-error.ts';
import { backupSettings, localSettings, pushSettings } from './settings.ts';

const settings = { ...commonSettings, ...localSettings };

/** Variables that {@link readEnvironment} reads. */
export const environmentVariables: readonly SettingVariable[] = Object.values({
  ...settings,
  ...pushSettings,
  ...backupSettings,
  ...socialSettings,
});

/**
 * Reads the settings of one machine from the environment; each has a default.
 *
 * @param variables those of the process when absent
 * @throws StartError that names the variable and its valid values
 */
export function readEnvironment(variables: Variables = processVariables()) {
  const read = readVariables(settings, variables, StartError);
  const { logLevel: level, logFormat: format, requestLog, totalBytes, cacheBytes, ...more } = read;
  const { metricsSocket, metricsToken, metricsTokenFile, metricsInstances, ...others } = more;
  const { mode, ...addresses } = readVariables(pushSettings, variables, StartError);
  const plan = planMemory(availableBytes(totalBytes));
  return {
    ...others,
    ...plan,
    cacheBytes: read.cacheBytes ?? plan.cacheBytes,
    logging: { level, format },
    metrics: { metricsSocket, metricsToken, metricsTokenFile, metricsInstances },
    pushing: { mode, addresses },
    logsRequests: requestLog === 'on',
    social: readSocial(variables, StartError),
  };
}

/**
 * Reads the settings of backups.
 *
 * @param given those of a command line, which precede the environment
 * @throws StartError that names the variable and its valid values
 */
export function readBackupSettings(
  given: { readonly [Name in keyof BackupSettings]?: string } = {},
  variables: Variables = processVariables(),
): BackupSettings {
  const own = Object.entries(backupSettings).map(([name, { variable }]) => [
    variable,
    given[name as keyof BackupSettings] ?? variables[variable], // by the type of its group
  ]);
  return readVariables(backupSettings, Object.fromEntries(own), StartError);
}

/** Reads the settings of backups by schedule; undefined without a target: then the others do not matter. */
export function readScheduledBackups(
  variables: Variables = processVariables(),
): BackupSettings | undefined {
  return variables[backupSettings.target.variable] ? readBackupSettings({}, variables) : undefined;
}

/** What a server decides from its data folder and its command line. */
interface Effective extends Pick<Settings, 'registration'> {
  readonly pushMode: string;
}

/** Returns the settings of one machine that every account may see. */
export function listPublicSettings(
  variables: Variables,
  { registration, pushMode }: Effective,
): readonly PublicSetting[] {
  const { schedule, keep, target } = backupSettings;
  const backups = listPublic({ schedule, keep }, variables);
  const isBackedUp = (variables[target.variable] ?? '') !== '';
  const meaning = 'Who may create an account; local: programs on the machine of the server.';
  return [
    { name: '--registration', value: registration, meaning },
    ...listPublic(settings, variables),
    ...listPublic(pushSettings, { [pushSettings.mode.variable]: pushMode }),
    ...backups.map((each) => (isBackedUp ? each : { ...each, value: null })),
  ];
}
