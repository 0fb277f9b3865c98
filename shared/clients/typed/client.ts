import {
  addressAt,
  at,
  below,
  checkPath,
  joinPaths,
  type RequestPath,
  withQuery,
} from '../../values/text/request-path.ts';
import type {
  ChannelMessage,
  ClientOptions,
  InstanceClient,
  InstanceTypes,
  InstanceUser,
  SubscribeOptions,
} from './interface.ts';
import { collectionOf, listOf } from './lists.ts';
import { GroundworkError, pause, type Send, sendUntilServed } from './requests.ts';

/**
 * Connects to an instance.
 *
 * @param publicLinks paths of the script endpoints that need no key, by name
 */
export function connect<Types extends InstanceTypes>(
  options: ClientOptions,
  publicLinks: Readonly<Record<string, string>>,
) {
  let { userKey } = options;
  const send: Send = (path, request = {}, isPublic = false) => {
    const keys = {
      'X-API-KEY': options.apiKey,
      ...(userKey !== undefined && { 'X-USER-KEY': userKey }),
    };
    return sendUntilServed(addressOf(options, path), request, isPublic ? {} : keys);
  };
  const client: InstanceClient<Types> = {
    login: async (credentials) => {
      const { body } = await send(at`user/auth/`, { method: 'POST', body: credentials });
      const user = body as InstanceUser<Types['profile']>; // as the server describes users
      userKey = user.user_key;
      return user;
    },
    logout: () => {
      userKey = undefined;
    },
    run: async <Result>(name: Types['script'], payload: object = {}) => {
      const link = publicLinks[name];
      const path = link === undefined ? at`endpoints/scripts/${name}/run/` : checkPath(link);
      const request = { method: 'POST', body: payload } as const;
      return (await send(path, request, link !== undefined)).body as Result; // chosen by the caller
    },
    publish: async (channel: string, payload: object, room?: string) => {
      const request = { method: 'POST', body: { payload, room } } as const;
      return (await send(at`channels/${channel}/publish/`, request)).body as ChannelMessage; // as the server describes it
    },
    subscribe: (channel: string, subscribeOptions: SubscribeOptions & { room?: string } = {}) =>
      receive(send, channel, subscribeOptions),
    request: async (path, request) => (await send(checkPath(path), request)).body,
  };
  return {
    client,
    collection: <Item, Input, Update, Query, Order extends string>(name: string) =>
      collectionOf<Item, Input, Update, Query, Order>(send, name),
    endpoint: <Item, Input, Query, Order extends string>(name: string, className: string) => {
      const path = at`endpoints/data/${name}/`;
      const paths = { list: below(path)`get/`, create: below(path)`post/`, className };
      return listOf<Item, Input, Query, Order>(send, paths);
    },
  };
}

/** Returns the address of a path, which is below the instance if it is not from the root. */
function addressOf({ url, instance }: ClientOptions, path: RequestPath): URL {
  const isFull = path.startsWith('/');
  return addressAt(url, isFull ? path : joinPaths(at`/v1.1/instances/${instance}/`, path));
}

/** Returns a path of a channel. */
type PathOf = (name: string, parameters: Readonly<Record<string, string>>) => RequestPath;

/** Where a subscription continues. */
interface Position {
  readonly last: number;
  readonly message: ChannelMessage | undefined;
}

/** Polls for messages. Once it has begun, it continues after errors of the connection and of the server. */
async function* receive(
  send: Send,
  channel: string,
  { lastId, room, signal }: SubscribeOptions & { room?: string },
): AsyncGenerator<ChannelMessage, void, undefined> {
  const path: PathOf = (name, parameters) =>
    withQuery(at`channels/${channel}/${name}/`, { ...parameters, room });
  let last = lastId ?? (await newestId(send, path('history', { page_size: '1' }), signal));
  while (!signal?.aborted) {
    const position: Position = await poll(send, { last, path, signal });
    last = position.last;
    if (position.message !== undefined) yield position.message;
  }
}

async function newestId(send: Send, path: RequestPath, signal: AbortSignal | undefined) {
  const { objects } = (await send(path, { signal })).body as { objects: readonly ChannelMessage[] }; // as described
  return objects[0]?.id ?? 0;
}

const longestPauseMs = 30_000;

/** Waits for the message after `last`; returns without one after a while, or when the signal is aborted. */
async function poll(
  send: Send,
  {
    last,
    path,
    signal,
  }: {
    last: number;
    path: PathOf;
    signal: AbortSignal | undefined;
  },
): Promise<Position> {
  for (let pauseMs = 1000; !signal?.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      const { body, headers } = await send(path('poll', { last_id: String(last) }), { signal });
      const message = body as ChannelMessage | undefined; // as the server describes it; undefined after a 204
      return { last: message?.id ?? Number(headers.get('x-last-id') ?? last), message };
    } catch (error) {
      if (error instanceof GroundworkError && error.status < 500 && error.status !== 429)
        throw error;
      await pause(pauseMs, signal);
    }
  }
  return { last, message: undefined };
}
