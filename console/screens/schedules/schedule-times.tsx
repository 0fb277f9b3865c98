import type { FormDraft } from '../../parts/draft-form.tsx';
import { nameInput, SelectField, TextField } from '../../parts/form.tsx';
import { intervalUnits, type Schedule, splitInterval } from './schedule-data.ts';

/** When a schedule runs, as typed. */
export interface Times {
  readonly kind: 'interval' | 'crontab';
  readonly amount: string;
  readonly unitSeconds: string;
  readonly crontab: string;
  readonly timezone: string;
}

/** Returns the times of a schedule for the form; without one those that a new schedule begins with. */
export function toTimes(schedule: Schedule | undefined): Times {
  const { amount, unit } = splitInterval(schedule?.interval_sec ?? 3_600);
  return {
    kind: typeof schedule?.crontab === 'string' ? 'crontab' : 'interval',
    amount: String(amount),
    unitSeconds: String(unit.seconds),
    crontab: schedule?.crontab ?? '0 9 * * 1-5',
    timezone: schedule?.timezone ?? ownZone,
  };
}

/** Returns the fields of a schedule's record for its times. */
export function fromTimes(times: Times): Pick<Schedule, 'interval_sec' | 'crontab' | 'timezone'> {
  const { kind, amount, unitSeconds, crontab, timezone } = times;
  return kind === 'interval'
    ? { interval_sec: Number(amount) * Number(unitSeconds), crontab: null, timezone }
    : { interval_sec: null, crontab, timezone };
}

const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const kinds = [
  ['interval', 'At a fixed interval'],
  ['crontab', 'At set times (crontab)'],
] as const;
const unitOptions = intervalUnits.map(
  ({ seconds, name }) => [String(seconds), `${name}s`] as const,
);
const examples = [
  ['', 'Choose an example'],
  ['0 * * * *', 'Every hour'],
  ['0 3 * * *', 'Every day at 3:00'],
  ['0 9 * * 1-5', 'Monday to Friday at 9:00'],
  ['0 0 * * sun', 'Sundays at midnight'],
  ['0 0 1 * *', 'The first of each month'],
] as const;

interface TimesFieldsProps {
  readonly draft: FormDraft<Times>;
}

/** The fields for when a schedule runs. */
export function TimesFields({ draft }: TimesFieldsProps) {
  const { values, text, errors } = draft;
  return (
    <>
      <SelectField label="Runs" options={kinds} {...text('kind')} />
      {values.kind === 'interval' ? (
        <div class="row">
          <TextField
            label="Every"
            hint="From 30 seconds to 24 hours."
            input={{ type: 'number', required: true, min: 1, step: 1 }}
            {...text('amount')}
            error={errors.interval_sec}
          />
          <SelectField label="Unit" options={unitOptions} {...text('unitSeconds')} />
        </div>
      ) : (
        <CrontabFields draft={draft} />
      )}
    </>
  );
}

function CrontabFields({ draft: { values, change, text } }: TimesFieldsProps) {
  const zones = new Set(['UTC', ownZone, values.timezone, ...Intl.supportedValuesOf('timeZone')]);
  return (
    <>
      <TextField
        label="Crontab"
        hint="Minute, hour, day of the month, month, weekday; * is any. Day and weekday must both match."
        input={nameInput}
        {...text('crontab')}
      />
      <SelectField
        label="Examples"
        value={examples.find(([example]) => example === values.crontab)?.[0] ?? ''}
        onValue={(crontab) => crontab !== '' && change({ crontab })}
        options={examples}
      />
      <SelectField
        label="Time zone"
        options={[...zones].map((zone) => [zone, zone.replaceAll('_', ' ')] as const)}
        {...text('timezone')}
      />
    </>
  );
}
