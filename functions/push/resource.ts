import type { Family } from '../../shared/core/family.ts';
import { pushProviders } from '../../shared/push/rules/provider.ts';
import { apnsConfigRoutes } from './config/apns-config.ts';
import { gcmConfigRoutes } from './config/gcm-config.ts';
import { deviceRoutes } from './devices/devices.ts';
import { grants } from './grants.ts';
import { jobs } from './jobs.ts';
import { messageRoutes } from './messages.ts';

/** Push notifications: devices, messages to them, and credentials of each provider. */
export const push: Family = {
  name: 'push',
  grants,
  jobs,
  routes: [
    ...pushProviders.flatMap((provider) => [...deviceRoutes(provider), ...messageRoutes(provider)]),
    ...gcmConfigRoutes,
    ...apnsConfigRoutes,
  ],
};
