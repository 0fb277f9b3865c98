import {
  type Context,
  endpointRoute,
  type Fields,
  idsFrom,
  type LoadedOf,
  notFound,
  type Route,
} from '../../shared/core/family.ts';
import { json } from '../../shared/core/resource/field.ts';
import { bodyObject } from '../../shared/core/resource/input.ts';
import { instanceBase, linksOf } from '../../shared/core/resource/links.ts';
import type { OperationName } from '../../shared/core/routing/route.ts';
import type { PushProvider } from '../../shared/push/rules/provider.ts';
import { read } from '../../shared/values/scalars.ts';
import { schemaOf } from '../../shared/values/values.ts';
import { configLoads } from './config/loads.ts';
import { deviceAccess, deviceOf, onlyUser } from './devices/device-access.ts';
import { createMessage } from './message-write.ts';
import { pushMessageFields, pushMessageLinks, showPushMessage } from './messages.ts';
import { providerBase, providerNames, providerPath } from './paths.ts';

const fields: Fields = { content: json(schemaOf(read), { required: true, shows: 'object' }) };

const sendNames: Readonly<Record<PushProvider, OperationName>> = {
  gcm: { id: 'sendMessageToGcmDevice', summary: 'Send a message to a GCM device' },
  apns: { id: 'sendMessageToApnsDevice', summary: 'Send a message to an APNS device' },
};

/** Sends a message to one device, and responds with the message (docs/reference/push.md#messages). */
export function sendRoute(provider: PushProvider): Route {
  const loads = { ...configLoads(provider), device: deviceOf(provider) };
  const run = async (context: Context<LoadedOf<typeof loads>>) => {
    const { device } = context.loaded;
    const own = onlyUser(context.actor);
    if (device === undefined || (own !== undefined && device.data.user !== own)) throw notFound();
    const { content } = bodyObject(await context.body());
    const only = device.data.registration_id;
    const view = await createMessage(context, provider, { content, only });
    const list = `${providerBase(instanceBase(context), provider)}messages/`;
    const links = linksOf(context, pushMessageLinks, `${list}${view.data.id}/`, view);
    return { status: 200, body: { ...showPushMessage(provider, view), links } };
  };
  const route = endpointRoute({
    name: `${providerNames[provider]} Device Send Message`,
    operationNames: { POST: sendNames[provider] },
    path: `${providerPath(provider)}devices/{device}/send_message/`,
    access: deviceAccess,
    loads,
    response: {
      fields: pushMessageFields[provider],
      links: pushMessageLinks,
      name: `${providerNames[provider]} Message`,
    },
    operations: {
      POST: {
        right: 'A',
        counter: idsFrom(`${provider}-message`),
        run,
      },
    },
    forms: { POST: fields },
  });
  return { ...route, kind: 'action' };
}
