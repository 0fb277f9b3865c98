import { defineFields, readOnlyField } from '../core/resource/field.ts';
import type { MessageData } from '../table/records/channels.ts';
import type { Json } from '../values/json/json.ts';

/** Fields of a message (docs/reference/channels.md#messages). */
export const messageFields = defineFields({
  id: readOnlyField('integer'),
  created_at: readOnlyField('datetime'),
  action: readOnlyField('string'),
  author: readOnlyField('field', { shows: 'object' }),
  metadata: readOnlyField('field', { shows: 'object' }),
  payload: readOnlyField('field', { shows: 'object' }),
});

/** Returns a message as responses show it, without links; a new object. */
export function showMessage(message: MessageData): Record<string, Json> {
  const { id, created_at, action, author, metadata, payload } = message;
  return { id, created_at, action, author, metadata, payload };
}
