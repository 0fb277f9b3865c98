import type { Family } from '../../shared/core/resource/route.ts';
import { pushProviders } from '../../shared/push/rules/provider.ts';
import { apnsConfigRoutes } from './apns-config.ts';
import { deviceRoutes } from './devices.ts';
import { gcmConfigRoutes } from './gcm-config.ts';
import { messageRoutes } from './messages.ts';

/** Push notifications: devices, messages to them, and credentials of each provider. */
export const push: Family = {
  name: 'push',
  routes: [
    ...pushProviders.flatMap((provider) => [...deviceRoutes(provider), ...messageRoutes(provider)]),
    ...gcmConfigRoutes,
    ...apnsConfigRoutes,
  ],
};
