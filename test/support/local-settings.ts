import type { Settings } from '../../shared/ports/ports.ts';

/** Settings of a platform on one machine, for tests that need few. */
export const localSettings: Settings = {
  registration: 'open',
  maxInstances: 1,
  maxClasses: 1,
  location: 'here',
  passwordCost: 10,
};
