import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readDatetime } from '../../shared/values/scalars.ts';
import { readDatetimeText } from '../../shared/values/text/datetime-text.ts';
import { timestamp } from '../../shared/values/timestamp.ts';

const toDatetime = (text: string) => readDatetimeText(text)?.value ?? text;

test.each([
  ['2021-01-05', '2021-01-05T00:00:00.000000Z', true],
  ['2021-01-05 10:34', '2021-01-05T10:34:00.000000Z', true],
  ['2021-01-05 10:34:10.237123', '2021-01-05T10:34:10.237123Z', true],
  ['2021-01-05T10:34:10.5Z', '2021-01-05T10:34:10.500000Z', false],
  ['2021-01-05t10:34:10z', '2021-01-05T10:34:10.000000Z', false],
  ['2021-01-05 10:34:10.237123+00', '2021-01-05T10:34:10.237123Z', false],
  ['2021-01-05 10:34:10+02', '2021-01-05T08:34:10.000000Z', false],
  ['2021-01-05 10:34:10 -0530', '2021-01-05T16:04:10.000000Z', false],
  ['2021-01-05T00:34:10.237123+02:00', '2021-01-04T22:34:10.237123Z', false],
  ['2021-01-05 10:34:10.1234560', '2021-01-05T10:34:10.123456Z', true],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z', false],
])('%s is %s', (text, value, isUtcAssumed) => {
  expect(readDatetimeText(text)).toEqual({ value, isUtcAssumed });
});

test.each([
  '2021-02-30',
  '2021-02-29 12:00',
  '2021-04-31T10:00:00Z',
  '2021-06-31 10:00:00+02:00',
  '2021-01-05 24:00',
  '2021-01-05 10:60',
  '2021-01-05 10:34:60',
  '2021-01-05 10:34:10.1234567',
  '2021-01-05 10:34+24:00',
  '2021-01-05 10:34+02:60',
  '0001-01-01T00:00:00+01:00',
  '9999-12-31T23:00:00-02:00',
  '0000-01-01',
  '5.1.2021',
  '2021-1-5',
  '',
])('%s is none, and stays as it is', (text) => {
  expect(readDatetimeText(text)).toBeUndefined();
  expect(toDatetime(text)).toBe(text);
});

test('a time in any zone is the same moment, with all its digits', () => {
  const micros = fc.integer({ min: 0, max: 4_000_000_000_000_000 });
  const zone = fc.integer({ min: -14 * 60, max: 14 * 60 });
  fc.assert(
    fc.property(micros, zone, fc.constantFrom(':', ''), (time, minutes, colon) => {
      const [, local = ''] = /(.*)Z/.exec(timestamp(time + minutes * 60_000_000)) ?? [];
      const two = (part: number) => String(Math.trunc(Math.abs(part))).padStart(2, '0');
      const shown = `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}${colon}${two(minutes % 60)}`;

      expect(toDatetime(`${local.replace('T', ' ')}${shown}`)).toBe(timestamp(time));
    }),
  );
});

test('whatever the interface takes stays as it is', () => {
  const part = (max: number) =>
    fc.integer({ min: 0, max }).map((each) => String(each).padStart(2, '0'));
  const parts = fc.tuple(part(40), part(14), part(32), part(25), part(61), part(61));
  fc.assert(
    fc.property(parts, ([year, month, day, hour, minute, second]) => {
      const text = `20${year}-${month}-${day}T${hour}:${minute}:${second}.000000Z`;

      expect(readDatetimeText(text) !== undefined).toBe(readDatetime(text).ok);
      expect(toDatetime(text)).toBe(text);
    }),
  );
});
