import { readSocial, socialSettings } from '../../accounts/social-variables.ts';
import {
  processVariables,
  readVariables,
  type SettingVariable,
  type Variables,
} from '../../ports/setting-variables.ts';
import { commonSettings } from '../../ports/settings.ts';
import { availableBytes, planMemory } from './memory.ts';
import { StartError } from './server/start-error.ts';
import { localSettings, pushSettings } from './settings.ts';

const settings = { ...commonSettings, ...localSettings };

/** Variables that {@link readEnvironment} reads. */
export const environmentVariables: readonly SettingVariable[] = Object.values({
  ...settings,
  ...pushSettings,
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
  const { logLevel: level, logFormat: format, totalBytes, cacheBytes, ...more } = read;
  const { metricsSocket, metricsToken, metricsTokenFile, metricsInstances, ...others } = more;
  const { mode, ...addresses } = readVariables(pushSettings, variables, StartError);
  const plan = planMemory(availableBytes(totalBytes));
  return {
    ...others,
    ...plan,
    cacheBytes: cacheBytes ?? plan.cacheBytes,
    logging: { level, format },
    metrics: { metricsSocket, metricsToken, metricsTokenFile, metricsInstances },
    pushing: { mode, addresses },
    social: readSocial(variables, StartError),
  };
}
