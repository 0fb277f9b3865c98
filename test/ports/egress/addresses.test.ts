import { describe, expect, test } from 'vitest';
import {
  isInternalAddress,
  isLoopbackAddress,
  isPublicAddress,
} from '../../../shared/ports/egress/addresses.ts';

/* The registries of special addresses of IANA, and what clouds and translators of addresses add to them. */

const special: Readonly<Record<string, readonly string[]>> = {
  'this network, unspecified': ['0.0.0.0', '0.0.0.1', '0.255.255.255', '::'],
  loopback: ['127.0.0.1', '127.0.0.2', '127.255.255.255', '::1'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  'unique local': ['fc00::1', 'fdff:ffff::1'],
  'link-local': ['169.254.0.1', '169.254.255.255', 'fe80::1', 'febf::1'],
  'site-local': ['fec0::1', 'feff::1'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'metadata of clouds': [
    '169.254.169.254',
    '169.254.170.2',
    'fd00:ec2::254',
    'fd00:ec2:0:0:0:0:0:254',
    'fd00:ec2::23',
    'fd00:ec2::253',
    'fd20:ce::254',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
  ],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  'broadcast and reserved': ['255.255.255.255', '240.0.0.1', '254.255.255.255'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  benchmarks: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'protocol assignments': ['192.0.0.1', '192.0.0.170', '2001:1::1', '2001:20::1', '2001:1ff::1'],
  relays: ['192.88.99.1', '192.52.193.1', '192.31.196.1', '192.175.48.1', '2620:4f:8000::1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:0:8.8.8.8'],
  'IPv4-compatible': ['::127.0.0.1', '::8.8.8.8'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  '6to4': ['2002:7f00:1::1', '2002:808:808::1'],
  Teredo: ['2001::1', '2001:0:7f00:1::1'],
  discard: ['100::1'],
  'segment routing': ['5f00::1'],
  'not assigned': ['4000::1', '8000::1', 'e000::1', '1::1', '200::1'],
  'no address': ['', 'localhost', '127.1', '0x7f000001', '017700000001', '2130706433', '1.1.1.1.'],
  'with a zone': ['fe80::1%eth0', '2606:4700::1111%lo'],
};

describe('an address is not public', () => {
  test.each(Object.entries(special))('%s', (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

test('others are public, up to the edges of the ranges', () => {
  const addresses = [
    ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0'],
    ...['126.255.255.255', '128.0.0.0', '169.253.255.255', '172.15.255.255', '172.32.0.0'],
    ...['192.167.255.255', '192.169.0.0', '223.255.255.255', '2606:4700::1111', '2001:200::1'],
    ...['2a00:1450:4001:800::200e', '2001:4860:4860::8888', '3ffe::1'],
  ];

  expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
});

test('an allowed name may have private addresses, but no other special ones', () => {
  const all = [...Object.values(special).flat(), '1.1.1.1'];

  expect(all.filter(isInternalAddress)).toEqual([
    ...(special.private ?? []),
    ...(special['unique local'] ?? []),
    '1.1.1.1',
  ]);
  expect(all.filter(isLoopbackAddress)).toEqual(special.loopback);
});
