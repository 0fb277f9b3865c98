import type { Access } from '../values/access.ts';
import { ApiError, forbidden } from '../values/errors/errors.ts';
import { type ChannelContext, channelOf } from './channel-record.ts';
import { maySubscribe } from './rules/channel-rights.ts';

/** Callers that may read messages, apart from the permissions of the channel (docs/reference/channels.md#rights). */
export const messageAccess: Access = {
  owner: 'LG',
  full: 'LG',
  write: 'LG',
  read: 'LG',
  ignoreAcl: 'LG',
  user: 'LG',
  allowAnonymousRead: 'LG',
};

/**
 * Checks that the caller may read the messages of the channel.
 *
 * @throws ApiError 403, or 404 when there is no such channel
 */
export function checkSubscribe(context: ChannelContext): void {
  if (!maySubscribe(context.actor, channelOf(context).data)) throw forbidden('channel_denies');
}

/**
 * Reads the records of a request again, and repeats its checks.
 *
 * @returns undefined when the caller may not read the channel any more, or it was deleted
 */
export async function renewContext(context: ChannelContext): Promise<ChannelContext | undefined> {
  try {
    const again = (await context.renew()) as ChannelContext; // with the same loads
    const isSame = channelOf(again).data.row === channelOf(context).data.row;
    return isSame ? again : undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
