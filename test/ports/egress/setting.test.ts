import { expect, test } from 'vitest';
import { readVariables } from '../../../shared/ports/setting-variables.ts';
import { commonSettings } from '../../../shared/ports/settings.ts';

const read = (text?: string) => {
  const { egressAllow } = commonSettings;
  return readVariables({ egressAllow }, { [egressAllow.variable]: text }, Error).egressAllow;
};

test('lists hosts', () => {
  expect(read()).toBeUndefined();
  expect(read('')).toEqual([]);
  expect(read(' IDP.internal, keys.internal:8443,127.0.0.1:80,[::1],')).toEqual([
    'idp.internal',
    'keys.internal:8443',
    '127.0.0.1:80',
    '[::1]',
  ]);
});

test.each([
  'https://idp.internal',
  'idp.internal/path',
  'kim@idp.internal',
  '*',
  '*.internal',
  'idp.internal:',
  'idp.internal:99999',
  'two hosts',
  '127.1', // would be the host of no address: it is 127.0.0.1 there
  '::1',
  'bücher.example',
])('rejects %s', (text) => {
  expect(() => read(text)).toThrow(
    'GROUNDWORK_EGRESS_ALLOW takes names of hosts, or host:port, separated by commas',
  );
});
