import { showMessage } from '../../shared/channels/show-message.ts';
import type { Context } from '../../shared/core/family.ts';
import { instanceBase, linksOf } from '../../shared/core/resource/links.ts';
import type { MessageData } from '../../shared/table/records/channels.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';

/** Links of a message. */
export const messageLinks = [{ name: 'self', type: 'detail', to: '' }] as const;

/** Returns a message with its links, as in the history. */
export function showWithLinks(context: Context, message: MessageData): JsonObject {
  const list = `${instanceBase(context)}/channels/${context.params.channel ?? ''}/history/`;
  const links = linksOf(context, messageLinks, `${list}${message.id}/`, message);
  return { ...showMessage(message), links };
}
