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
  places: {
    '/instances/{instance}/push_notifications/gcm/': '/i/{instance}/push/gcm',
    '/instances/{instance}/push_notifications/gcm/devices/{device}/':
      '/i/{instance}/push/gcm/{device}',
    '/instances/{instance}/push_notifications/apns/': '/i/{instance}/push/apns',
    '/instances/{instance}/push_notifications/apns/devices/{device}/':
      '/i/{instance}/push/apns/{device}',
  },
  routes: [
    ...pushProviders.flatMap((provider) => [...deviceRoutes(provider), ...messageRoutes(provider)]),
    ...gcmConfigRoutes,
    ...apnsConfigRoutes,
  ],
};
