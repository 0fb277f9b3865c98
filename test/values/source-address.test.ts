import { describe, expect, test } from 'vitest';
import { addressGroup, isLoopbackName } from '../../shared/values/source-address.ts';

describe('addresses that are counted as one', () => {
  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.0.0.2', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::ffff:127.0.0.9', 'loopback'],
    ['::FFFF:7f00:9', 'loopback'],
    ['198.51.100.7', '198.51.100.7'],
    ['128.0.0.1', '128.0.0.1'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['::ffff:c633:6407', '198.51.100.7'],
    ['0:0:0:0:0:ffff:198.51.100.7', '198.51.100.7'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0000:0000:ffff::2', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['::2', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', 'unknown'],
    ['198.51.100', 'unknown'],
    ['198.51.100.256', 'unknown'],
    ['198.51.100.07', 'unknown'],
    ['localhost', 'unknown'],
    ['1:2', 'unknown'],
    ['::1]/[::2', 'unknown'],
  ])('%j belongs to %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});

describe('names of this machine', () => {
  test.each([
    ['localhost', true],
    ['LOCALHOST', true],
    ['localhost.', true],
    ['127.0.0.1', true],
    ['127.8.8.8', true],
    ['::1', true],
    ['[::1]', true],
    ['[0:0::1]', true],
    ['[::ffff:127.0.0.1]', true],
    ['', false],
    ['.', false],
    ['localhost..', false],
    ['x.localhost', false],
    ['localhost.example', false],
    ['127.evil.example', false],
    ['127.0.0.1.example', false],
    ['127.0.0.1.', false],
    ['127.1', false],
    ['0.0.0.0', false],
    ['::', false],
    ['192.168.0.1', false],
    ['[::2]', false],
    ['[localhost]', false],
    ['[127.0.0.1]', false],
  ])('%j is one: %s', (name, expected) => {
    expect(isLoopbackName(name)).toBe(expected);
  });
});
