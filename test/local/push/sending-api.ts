import { afterEach } from 'vitest';
import type { PushSettings } from '../../../shared/platforms/local/push/local-push.ts';
import { type Api, openWorld, startApi, type World } from '../../support/api.ts';
import {
  type PushService,
  type PushServiceOptions,
  startPushService,
} from '../../support/push-service.ts';

const open: { close(): Promise<void> }[] = [];

/** Closes the servers of each test. */
export function useSendingApi(): void {
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  });
}

/** The platform with a push service, and an instance. */
export interface SendingApi {
  readonly service: PushService;
  readonly api: Api;
  readonly world: World;
  /** Sends a message, waits for its end, and returns it. */
  send(provider: 'gcm' | 'apns', ids: readonly string[], content?: object): Promise<SentMessage>;
  isActive(provider: 'gcm' | 'apns', token: string): Promise<boolean>;
  readonly results: string[];
}

/** A message whose pushes have ended. */
export interface SentMessage {
  readonly status: string;
  // biome-ignore lint/suspicious/noExplicitAny: as in the response
  readonly result: any;
}

/** Starts a push service, and the platform in this process that sends to it. */
export async function startSending(
  options: PushServiceOptions = {},
  pushing: Partial<PushSettings> = {},
): Promise<SendingApi> {
  const service = await startPushService(options);
  open.push(service);
  const results: string[] = [];
  const api = await startApi({
    pushing: {
      mode: 'send',
      addresses: service.addresses,
      onResult: (result, name) => results.push(`${name} ${result}`),
      ...pushing,
    },
  });
  open.push(api);
  const world = await openWorld(api);
  const call = (method: string, path: string, body?: unknown) =>
    world.call(world.owner, method, `push_notifications/${path}`, body);
  return {
    service,
    api,
    world,
    results,
    send: async (provider, registration_ids, more = {}) => {
      const alert = provider === 'apns' ? { aps: { alert: 'hi' } } : { data: { a: 1 } };
      const content = { environment: 'development', registration_ids, ...alert, ...more };
      const { body: made } = await call('POST', `${provider}/messages/`, { content });
      for (;;) {
        const { body } = await call('GET', `${provider}/messages/${made.id}/`);
        if (body.status !== 'scheduled') return body;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    isActive: async (provider, token) =>
      (await call('GET', `${provider}/devices/${token}/`)).body.is_active,
  };
}
