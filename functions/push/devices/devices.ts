import {
  idsFrom,
  type ListOf,
  listRoutes,
  notFound,
  type Route,
} from '../../../shared/core/family.ts';
import type { PushProvider } from '../../../shared/push/rules/provider.ts';
import type { PushDeviceData } from '../../../shared/table/records/push.ts';
import { providerBase, providerNames, providerPath } from '../paths.ts';
import { sendRoute } from '../send.ts';
import { deviceAccess, deviceOf, onlyUser } from './device-access.ts';
import { type DeviceFields, deviceFields } from './device-fields.ts';
import { deviceListParameters, listDevices } from './device-list.ts';
import { createDevice, removeDevice, updateDevice } from './device-write.ts';

/** Routes of a provider's devices. */
export function deviceRoutes(provider: PushProvider): readonly Route[] {
  const fields = deviceFields(provider);
  const resource: ListOf<PushDeviceData, { readonly data: PushDeviceData }, DeviceFields> = {
    name: `${providerNames[provider]} Device`,
    path: `${providerPath(provider)}devices/`,
    item: 'device',
    access: deviceAccess,
    fields,
    links: [
      { name: 'self', type: 'detail', to: '' },
      {
        name: 'config',
        type: 'detail',
        to: (_, base) => `${providerBase(base, provider)}config/`,
      },
      { name: 'send_message', type: 'send_message', to: 'send_message/' },
    ],
    parameters: deviceListParameters,
    record: deviceOf(provider),
    counter: idsFrom(`${provider}-device`),
    authorizeItem: ({ actor }, { data }) => {
      const user = onlyUser(actor);
      if (user !== undefined && data.user !== user) throw notFound();
    },
    readItems: (context, range) => listDevices(context, provider, range),
    view: (_, items) => Promise.resolve(items),
    segment: ({ data }) => encodeURIComponent(data.registration_id).replaceAll('%3A', ':'),
    create: (context, input) => createDevice(context, provider, input.valid()),
    update: (context, { current, input }) =>
      updateDevice(context, provider, { current, changes: input.valid() }),
    remove: (context, current) => removeDevice(context, provider, current),
  };
  return [...listRoutes(resource), sendRoute(provider)];
}
