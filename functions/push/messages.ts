import {
  allRights,
  type Context,
  computed,
  defineFields,
  type Fields,
  idsFrom,
  instanceOf,
  listRoutes,
  type Route,
  recordAt,
  rowsOf,
} from '../../shared/core/family.ts';
import { json } from '../../shared/core/resource/field.ts';
import { bodyObject } from '../../shared/core/resource/input.ts';
import type { ListResource } from '../../shared/core/resource/lists/list-resource.ts';
import { onlyFor } from '../../shared/core/resource/loads/loads.ts';
import type { OperationName } from '../../shared/core/routing/route.ts';
import { resultOf } from '../../shared/push/rules/outcome.ts';
import type { PushProvider } from '../../shared/push/rules/provider.ts';
import type { Stored } from '../../shared/store/store.ts';
import { pushMessageEntity, pushPartEntity } from '../../shared/table/entities/push.ts';
import type { PushMessageData } from '../../shared/table/records/push.ts';
import { read } from '../../shared/values/scalars.ts';
import { schemaOf } from '../../shared/values/values.ts';
import { type ConfigContext, configLoads } from './config/loads.ts';
import { createMessage, type MessageView } from './message-write.ts';
import { providerNames, providerPath } from './paths.ts';

const fields = defineFields({
  id: computed('integer'),
  status: computed('string'),
  content: json(schemaOf(read), { required: true, shows: 'object' }),
  result: computed('field'),
  created_at: computed('datetime'),
  updated_at: computed('datetime'),
});

/** Fields of messages; their content is checked when it is stored. Each provider has a model in the documents. */
export const pushMessageFields: Readonly<Record<PushProvider, Fields>> = {
  gcm: { ...fields },
  apns: { ...fields },
};

const sendNames: Readonly<Record<PushProvider, OperationName>> = {
  gcm: { id: 'sendGcmMessage', summary: 'Send a GCM message' },
  apns: { id: 'sendApnsMessage', summary: 'Send an APNS message' },
};

export const pushMessageLinks = [{ name: 'self', type: 'detail', to: '' }] as const;

/** Returns a message as responses show it, without links. */
export function showPushMessage(provider: PushProvider, { data, parts }: MessageView) {
  const isOpen = data.status === 'scheduled';
  const deliveries = parts.flatMap(({ tokens, states }) =>
    tokens.map((token, at) => [token, states[at] ?? 'sending'] as const),
  );
  return {
    id: data.id,
    status: data.status,
    content: { ...data.content, registration_ids: parts.flatMap(({ tokens }) => tokens) },
    result: isOpen ? {} : resultOf(provider, deliveries, data.failure),
    created_at: data.created_at,
    updated_at: data.updated_at,
  };
}

/** Returns the routes of a provider's messages. */
export function messageRoutes(provider: PushProvider): readonly Route[] {
  const { config } = configLoads(provider);
  const resource: ListResource<PushMessageData, MessageView, Fields, ConfigContext['loaded']> = {
    name: `${providerNames[provider]} Message`,
    operationNames: { create: sendNames[provider] },
    path: `${providerPath(provider)}messages/`,
    item: 'id',
    access: { owner: allRights, full: allRights, write: allRights, read: 'LG' },
    fields: pushMessageFields[provider],
    links: pushMessageLinks,
    record: recordAt(pushMessageEntity, ['instance', '{id}'], (instance, id) =>
      pushMessageEntity.key(instance, provider, id),
    ),
    loads: { config: onlyFor(['C'], config) },
    counter: idsFrom(`${provider}-message`),
    readItems: (context, range) =>
      rowsOf(context.platform.store, pushMessageEntity, [instanceOf(context), provider], range),
    view: (context, items) => viewMessages(context, provider, items),
    show: (_, view) => showPushMessage(provider, view),
    segment: ({ data }) => String(data.id),
    create: (context, { body }) => {
      const { content } = bodyObject(body);
      return createMessage(context, provider, { content });
    },
  };
  return listRoutes(resource);
}

/** Joins messages with their recipients. */
async function viewMessages(
  context: Context,
  provider: PushProvider,
  items: readonly Stored<PushMessageData>[],
): Promise<readonly MessageView[]> {
  const instance = instanceOf(context);
  const found = await pushPartEntity.readAll(
    context.platform.store,
    items.flatMap(({ data: { id, parts } }) =>
      Array.from({ length: parts }, (_, part) => [instance, provider, id, part] as const),
    ),
  );
  let at = 0;
  return items.map(({ data }) => {
    const parts = found.slice(at, at + data.parts);
    at += data.parts;
    return { data, parts: parts.flatMap((part) => part?.data ?? []) };
  });
}
