import { describe, expect, it } from 'vitest';
import { readCrontab } from '../../shared/schedules/rules/crontab.ts';

const upTo = (max: number, min = 0) => Array.from({ length: max - min + 1 }, (_, n) => min + n);

const any = {
  minutes: upTo(59),
  hours: upTo(23),
  days: upTo(31, 1),
  months: upTo(12, 1),
  weekdays: upTo(6),
};

describe('a crontab', () => {
  it.each([
    ['matches every minute with stars', '* * * * *', {}],
    ['is split at any white space', ' \t5  *\n* * * ', { minutes: [5] }],
    [
      'has numbers',
      '5 4 3 2 1',
      { minutes: [5], hours: [4], days: [3], months: [2], weekdays: [1] },
    ],
    ['has numbers with leading zeros', '05 * * * *', { minutes: [5] }],
    ['has lists, in any order and with repetitions', '30,0,30 * * * *', { minutes: [0, 30] }],
    ['has ranges', '* 9-17 * * *', { hours: upTo(17, 9) }],
    ['has ranges of one value', '* 9-9 * * *', { hours: [9] }],
    ['has lists of ranges', '* 1-3,2-4,9 * * *', { hours: [1, 2, 3, 4, 9] }],
    [
      'has steps from the start of the part',
      '*/25 * */10 */5 *',
      {
        minutes: [0, 25, 50],
        days: [1, 11, 21, 31],
        months: [1, 6, 11],
      },
    ],
    ['has steps from the start of a range', '5-30/10 * * * *', { minutes: [5, 15, 25] }],
    ['has steps beyond the range', '5-30/100 * * * *', { minutes: [5] }],
    ['has hours that wrap round', '* 22-4 * * *', { hours: [0, 1, 2, 3, 4, 22, 23] }],
    [
      'has days and months that wrap round',
      '* * 30-2 11-1 *',
      {
        days: [1, 2, 30, 31],
        months: [1, 11, 12],
      },
    ],
    ['steps through a range that wraps round', '* 22-4/3 * * *', { hours: [1, 4, 22] }],
    ['has weekdays by number, from Sunday', '* * * * 0,6', { weekdays: [0, 6] }],
    ['has weekdays by name in any case', '* * * * mon,TUE,Wednesday', { weekdays: [1, 2, 3] }],
    ['has weekdays that wrap round', '* * * * fri-mon', { weekdays: [0, 1, 5, 6] }],
    ['steps through weekdays', '* * * * */2', { weekdays: [0, 2, 4, 6] }],
  ])('%s: %j', (_, text, values) => {
    expect(readCrontab(text)).toEqual({ ok: true, value: { ...any, ...values } });
  });

  it.each(['* * * *', '* * * * * *', '@daily', '5'])(
    'without five parts is refused: %j',
    (text) => {
      expect(readCrontab(text)).toEqual({
        ok: false,
        messages: ['Crontab has to have 5 parts specified.'],
      });
    },
  );

  it.each([
    ['60 * * * *', '"60" does not fit the minute (0-59)'],
    ['-5 * * * *', '"-5" does not fit the minute (0-59)'],
    ['1-60 * * * *', '"1-60" does not fit the minute (0-59)'],
    ['1,,2 * * * *', '"" does not fit the minute (0-59)'],
    ['1, * * * *', '"" does not fit the minute (0-59)'],
    ['5/10 * * * *', '"5/10" does not fit the minute (0-59)'],
    ['*/0 * * * *', '"*/0" does not fit the minute (0-59)'],
    ['*/ * * * *', '"*/" does not fit the minute (0-59)'],
    ['*-5 * * * *', '"*-5" does not fit the minute (0-59)'],
    ['1-2-3 * * * *', '"1-2-3" does not fit the minute (0-59)'],
    ['1.5 * * * *', '"1.5" does not fit the minute (0-59)'],
    ['1e1 * * * *', '"1e1" does not fit the minute (0-59)'],
    ['0x1 * * * *', '"0x1" does not fit the minute (0-59)'],
    ['? * * * *', '"?" does not fit the minute (0-59)'],
    ['* 24 * * *', '"24" does not fit the hour (0-23)'],
    ['* * 0 * *', '"0" does not fit the day of the month (1-31)'],
    ['* * 32 * *', '"32" does not fit the day of the month (1-31)'],
    ['* * L * *', '"L" does not fit the day of the month (1-31)'],
    ['* * * 0 *', '"0" does not fit the month (1-12)'],
    ['* * * 13 *', '"13" does not fit the month (1-12)'],
    ['* * * jan *', '"jan" does not fit the month (1-12)'],
    ['* * * * 7', '"7" does not fit the weekday (0-6)'],
    ['* * * * 1#2', '"1#2" does not fit the weekday (0-6)'],
    ['* * * * mo', '"mo" does not fit the weekday (0-6)'],
    ['* * * * monkey', '"monkey" does not fit the weekday (0-6)'],
  ])('is refused: %j', (text, reason) => {
    expect(readCrontab(text)).toEqual({
      ok: false,
      messages: [`Not a valid crontab, ${reason}.`],
    });
  });
});
