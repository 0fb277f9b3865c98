import {
  computed,
  type Fields,
  flag,
  json,
  metadata,
  text,
} from '../../shared/core/resource/field.ts';
import type { ListResource } from '../../shared/core/resource/lists/list-resource.ts';
import { listRoutes } from '../../shared/core/resource/lists/list-routes.ts';
import { idsFrom } from '../../shared/core/resource/place.ts';
import type { Route } from '../../shared/core/resource/route.ts';
import { deviceIdValue, tokenValue } from '../../shared/push/rules/device-ids.ts';
import type { PushProvider } from '../../shared/push/rules/provider.ts';
import type { PushDeviceData } from '../../shared/store/records/push.ts';
import { notFound } from '../../shared/values/errors/errors.ts';
import { recordId } from '../../shared/values/record-id.ts';
import { deviceAccess, deviceKey, onlyUser } from './device-access.ts';
import { filterParameters, listDevices } from './device-list.ts';
import { createDevice, removeDevice, updateDevice } from './device-write.ts';
import { providerBase, providerNames, providerPath } from './paths.ts';
import { sendRoute } from './send.ts';

function fieldsOf(provider: PushProvider): Fields {
  const isGcm = provider === 'gcm';
  return {
    label: text(80),
    user: json(recordId(), { nullable: true, initial: null, shows: 'integer' }),
    registration_id: {
      type: 'string',
      writable: 'create',
      required: true,
      input: tokenValue(provider),
      maxLength: isGcm ? 512 : 200,
    },
    device_id: {
      type: 'string',
      writable: 'always',
      input: deviceIdValue(provider),
      initial: isGcm ? '' : null,
      ...(!isGcm && { nullable: true }),
    },
    metadata: metadata(),
    is_active: { ...flag(), initial: true, putDefault: true },
    created_at: computed('datetime'),
    updated_at: computed('datetime'),
  };
}

/** Routes of a provider's devices. */
export function deviceRoutes(provider: PushProvider): readonly Route[] {
  const fields = fieldsOf(provider);
  const resource: ListResource<PushDeviceData, { readonly data: PushDeviceData }> = {
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
    parameters: filterParameters,
    key: (known) => deviceKey(provider, known),
    counter: idsFrom(`${provider}-device`),
    authorizeItem: ({ actor }, { data }) => {
      const user = onlyUser(actor);
      if (user !== undefined && data.user !== user) throw notFound();
    },
    rows: (context, range) => listDevices(context, provider, range),
    view: (_, items) => Promise.resolve(items),
    show: (_, { data: { row: _row, ...shown } }) => shown,
    segment: ({ data }) => encodeURIComponent(data.registration_id).replaceAll('%3A', ':'),
    create: (context, body) => createDevice(context, { provider, fields, body }),
    update: (context, { current, body, mode }) =>
      updateDevice(context, { provider, fields, body, current, mode }),
    remove: (context, current) => removeDevice(context, provider, current),
  };
  return [...listRoutes(resource), sendRoute(provider)];
}
