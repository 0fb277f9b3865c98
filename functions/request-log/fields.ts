import { computed, defineFields } from '../../shared/core/family.ts';
import { callerKinds, type RequestRecord } from '../../shared/ports/request-log.ts';
import type { Json } from '../../shared/values/json/json.ts';
import { timestamp } from '../../shared/values/timestamp.ts';

/** Fields of a request (docs/reference/request-log.md#fields). */
export const loggedFields = defineFields({
  time: computed('datetime'),
  request_id: computed('string'),
  method: computed('string'),
  route: computed('string'),
  ids: computed('field', { shows: 'object' }),
  parameters: computed('list', { child: computed('string') }),
  status: computed('integer'),
  duration_ms: computed('float'),
  request_bytes: computed('integer'),
  response_bytes: computed('integer', { nullable: true }),
  caller: computed('choice', { choices: callerKinds, nullable: true }),
  caller_id: computed('integer', { nullable: true }),
});

/** Returns a record as responses show it. */
export function showRequest(record: RequestRecord): Record<keyof typeof loggedFields, Json> {
  return {
    time: timestamp(record.atMicros),
    request_id: record.requestId,
    method: record.method,
    route: record.route,
    ids: Object.fromEntries(partsOf(record.ids).map((pair) => pair.split('='))),
    parameters: partsOf(record.parameters),
    status: record.status,
    duration_ms: record.durationMicros / 1000,
    request_bytes: record.requestBytes,
    response_bytes: record.responseBytes ?? null,
    caller: record.caller ?? null,
    caller_id: record.callerId ?? null,
  };
}

function partsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}
