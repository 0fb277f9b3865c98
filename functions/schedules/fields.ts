import { computed, defineFields, text } from '../../shared/core/family.ts';
import { description } from '../../shared/core/resource/field.ts';
import type { Field } from '../../shared/core/routing/forms.ts';
import type { Version } from '../../shared/core/routing/versions.ts';
import { readCrontab } from '../../shared/schedules/rules/crontab.ts';
import { isTimeZone } from '../../shared/schedules/rules/schedule-times.ts';
import { scriptField } from '../../shared/scripts/script-reference.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { quoteValue, read, reject, textReader } from '../../shared/values/scalars.ts';
import { integer, schemaOf } from '../../shared/values/values.ts';

const interval = { min: 30, max: 86_400 }; // docs/reference/schedules.md#interval
const maxCrontab = 40;

const intervalSeconds = {
  type: 'integer',
  writable: 'always',
  nullable: true,
  initial: null,
  minValue: interval.min,
  maxValue: interval.max,
  input: integer(interval),
} as const satisfies Field;

const crontabText = textReader({ max: maxCrontab, blank: true });

/** A crontab as it was sent; the empty text is null. */
const crontab = {
  type: 'string',
  writable: 'always',
  nullable: true,
  initial: null,
  maxLength: maxCrontab,
  input: schemaOf((input) => {
    const reading = crontabText(input);
    if (!reading.ok) return reading;
    if (reading.value === '') return read(null);
    const parsed = readCrontab(reading.value);
    return parsed.ok ? reading : parsed;
  }),
} as const satisfies Field;

const timezone = {
  type: 'string',
  writable: 'always',
  initial: 'UTC',
  putDefault: 'UTC',
  input: schemaOf((input) =>
    typeof input === 'string' && isTimeZone(input)
      ? read(input)
      : reject(messages.badChoice(quoteValue(input))),
  ),
} as const satisfies Field;

const first = {
  id: computed('integer'),
  label: text(80), // 64 at the service, 80 in its clients
  description: description(),
  created_at: computed('datetime'),
  interval_sec: intervalSeconds,
  crontab,
  scheduled_next: computed('datetime', { nullable: true }),
  timezone,
};
const last = { missed: computed('integer', { isOptional: true }) };

/** Fields of a schedule by version (docs/reference/schedules.md#record). */
export const scheduleFields = {
  'v1.1': defineFields({ ...first, script: scriptField(), ...last }),
  v1: defineFields({ ...first, codebox: scriptField(), ...last }),
};

/** Fields of one of the versions. */
export type ScheduleFields = (typeof scheduleFields)[Version];
