import { type Context, instanceOf, reservedId } from '../../shared/core/family.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { missingConfig } from '../../shared/push/push-config.ts';
import { partSize, sendPush } from '../../shared/push/push-send.ts';
import { type PushContent, readPushContent, withoutIds } from '../../shared/push/rules/content.ts';
import type { DeliveryState } from '../../shared/push/rules/outcome.ts';
import type { PushProvider } from '../../shared/push/rules/provider.ts';
import { commit } from '../../shared/store/commit.ts';
import { createItem } from '../../shared/store/writes.ts';
import { pushMessageEntity, pushPartEntity } from '../../shared/table/entities/push.ts';
import type { PushMessageData, PushPartData } from '../../shared/table/records/push.ts';
import { invalid } from '../../shared/values/errors/errors.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import type { ConfigContext } from './config/loads.ts';

/** A message with its recipients, part by part. */
export interface MessageView {
  readonly data: PushMessageData;
  readonly parts: readonly PushPartData[];
}

/**
 * Creates a message; it is sent later (docs/reference/push.md#messages).
 *
 * @param only the one device that receives it, whatever ids were sent
 * @throws ApiError 400 for invalid content, and where the environment has no credentials
 */
export async function createMessage(
  context: ConfigContext,
  provider: PushProvider,
  { content: sent, only }: { readonly content: unknown; readonly only?: string },
): Promise<MessageView> {
  const reading = readPushContent(provider, sent, only);
  if (!reading.ok) throw invalid({ content: reading.messages });
  const { environment } = reading.value;
  const config = context.loaded.config?.data[environment];
  const lacking = missingConfig(provider, environment, config);
  if (lacking !== undefined) throw invalid({ non_field_errors: [lacking] });
  return storeMessage(context, provider, reading.value);
}

async function storeMessage(
  context: Context,
  provider: PushProvider,
  content: PushContent,
): Promise<MessageView> {
  const { clock } = context.platform;
  const instance = instanceOf(context);
  const id = reservedId(context);
  const at = timestamp(clock.micros());
  const parts = partsOf(content.registration_ids);
  const data: PushMessageData = {
    id,
    status: 'scheduled',
    environment: content.environment,
    content: withoutIds(content),
    parts: parts.length,
    partsDone: 0,
    delivered: 0,
    failed: 0,
    created_at: at,
    updated_at: at,
  };
  await commit(context, [
    createItem(pushMessageEntity, pushMessageEntity.key(instance, provider, id), data),
    ...parts.flatMap((part, number) => [
      createItem(pushPartEntity, pushPartEntity.key(instance, provider, id, number), part),
      newJob(context.platform, sendPush, { instance, provider, message: id, part: number }),
    ]),
  ]);
  return { data, parts };
}

/** Splits recipients into at least one part: the last part to finish ends the message. */
function partsOf(ids: readonly string[]): readonly PushPartData[] {
  const count = Math.max(1, Math.ceil(ids.length / partSize));
  return Array.from({ length: count }, (_, at) => {
    const tokens = ids.slice(at * partSize, (at + 1) * partSize);
    const states = tokens.map((): DeliveryState => 'waiting');
    return { tokens, states, busyRounds: 0, isDone: false };
  });
}
