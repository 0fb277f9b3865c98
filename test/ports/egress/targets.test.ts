import { describe, expect, test } from 'vitest';
import { openBoundedEgress } from '../../../shared/ports/egress/bounded-egress.ts';
import type { EgressRequest } from '../../../shared/ports/egress/egress.ts';
import type { Exchange } from '../../../shared/ports/egress/exchange.ts';
import type { LogEntry } from '../../../shared/ports/ports.ts';

/* Where requests may go: nothing is sent, and names have the addresses of a test. */

const share = { owner: 'account 1', instance: '2' };
const unreachable = { name: 'EgressError', message: 'The address cannot be reached.' };

interface Sent extends Pick<Exchange, 'addresses' | 'headers' | 'method'> {
  readonly url: string;
}

interface World {
  readonly allowed?: readonly string[];
  /** Addresses of names, one list for each time that it is resolved; the last one remains. */
  readonly names?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Targets of redirects by address, with their status. */
  readonly redirects?: Readonly<Record<string, readonly [number, string]>>;
}

function open({ allowed = [], names = {}, redirects = {} }: World) {
  const sent: Sent[] = [];
  const logged: LogEntry[] = [];
  const resolved: string[] = [];
  const resolve = async (host: string) => {
    const lists = names[host] ?? [];
    const times = resolved.filter((name) => name === host).length;
    resolved.push(host);
    return lists[times] ?? lists.at(-1) ?? [];
  };
  const send = async (url: URL, { addresses, headers, method }: Exchange) => {
    sent.push({ url: url.href, addresses, headers, method });
    const [status, location] = redirects[url.href] ?? [200];
    return new Response(null, { status, headers: location === undefined ? {} : { location } });
  };
  const log = (entry: LogEntry) => void logged.push(entry);
  const egress = openBoundedEgress({ allowed, log, resolve }, send);
  return {
    sent,
    logged,
    resolved,
    request: (url: string, request: Partial<EgressRequest> = {}) =>
      egress(url, { share, ...request }),
  };
}

const publicAddress = '93.184.215.14';
const idp = { 'idp.example.com': [[publicAddress]] };
const addressesOf = (sent: readonly Sent[]) => sent.map(({ addresses }) => addresses);

describe('a request is not sent to', () => {
  test.each([
    ['http', 'http://idp.example.com/'],
    ['another scheme', 'ftp://idp.example.com/'],
    ['a file', 'file:///etc/passwd'],
    ['data', 'data:application/json,{}'],
    ['another port', 'https://idp.example.com:8443/'],
    ['the port of http', 'https://idp.example.com:80/'],
    ['a user in the address', 'https://kim@idp.example.com/'],
    ['a password in the address', 'https://:secret@idp.example.com/'],
    ['a user that looks like a host', 'https://idp.example.com@127.0.0.1/'],
    ['a name with a dot at its end', 'https://idp.example.com./'],
    ['a name without a domain', 'https://intranet/'],
    ['this machine', 'https://localhost/'],
    ['this machine with a dot', 'https://localhost./'],
    ['loopback', 'https://127.0.0.1/'],
    ['loopback with a dot', 'https://127.0.0.1./'],
    ['loopback in two parts', 'https://127.1/'],
    ['loopback as decimal', 'https://2130706433/'],
    ['loopback as octal', 'https://0177.0.0.1/'],
    ['loopback as hex', 'https://0x7f000001/'],
    ['loopback in full-width digits', 'https://１２７.0.0.1/'],
    ['loopback in escaped digits', 'https://%31%32%37.0.0.1/'],
    ['loopback of IPv6', 'https://[::1]/'],
    ['loopback of IPv6 written out', 'https://[0:0:0:0:0:0:0:1]/'],
    ['loopback in IPv6', 'https://[::ffff:127.0.0.1]/'],
    ['loopback in IPv6 as hex', 'https://[::ffff:7f00:1]/'],
    ['loopback through NAT64', 'https://[64:ff9b::7f00:1]/'],
    ['the unspecified address', 'https://0/'],
    ['the unspecified address of IPv6', 'https://[::]/'],
    ['metadata', 'https://169.254.169.254/latest/meta-data/'],
    ['metadata of IPv6', 'https://[fd00:ec2::254]/'],
    ['the runtime API of Lambda', 'http://127.0.0.1:9001/2018-06-01/runtime/invocation/next'],
    ['a text', 'idp.example.com'],
    ['an empty text', ''],
    ['an address that is too long', `https://idp.example.com/${'x'.repeat(8192)}`],
    ['a name that has no address', 'https://nobody.example.com/'],
    ['a name with a private address', 'https://inside.example.com/'],
    ['a name with an IPv4-mapped address', 'https://mapped.example.com/'],
  ])('%s', async (_, url) => {
    const names = {
      ...idp,
      'idp.example.com.': [[publicAddress]],
      intranet: [[publicAddress]],
      localhost: [['127.0.0.1']],
      'inside.example.com': [['10.0.0.7', 'fd12::1']],
      'mapped.example.com': [['::ffff:93.184.215.14']],
    };
    const { request, sent, logged } = open({ names });

    await expect(request(url)).rejects.toMatchObject(unreachable);

    expect(sent).toEqual([]);
    expect(logged).toEqual([
      expect.objectContaining({ message: 'egress failed', instance: '2', level: 'info' }),
    ]);
  });
});

test('a name whose resolution does not end takes no longer than the request may', async () => {
  const resolve = () => new Promise<never>(() => undefined);
  const egress = openBoundedEgress({ allowed: ['slow.internal'], log: () => undefined, resolve });

  const asked = egress('http://slow.internal/', { share, timeoutMs: 50 });

  await expect(asked).rejects.toMatchObject(unreachable);
});

describe('a name is resolved once for a connection', () => {
  test('which has the addresses that were checked', async () => {
    const names = { 'rebinding.example.com': [[publicAddress], ['127.0.0.1']] };
    const { request, sent, resolved } = open({ names });

    await request('https://rebinding.example.com/');

    expect(resolved).toEqual(['rebinding.example.com']);
    expect(addressesOf(sent)).toEqual([[publicAddress]]);
  });

  test('and again for the next request', async () => {
    const names = { 'rebinding.example.com': [[publicAddress], ['127.0.0.1']] };
    const { request, sent } = open({ names });
    await request('https://rebinding.example.com/');

    await expect(request('https://rebinding.example.com/')).rejects.toMatchObject(unreachable);

    expect(sent).toHaveLength(1);
  });

  test('and only its public addresses are used, two of each version', async () => {
    const names = {
      'mixed.example.com': [
        ['127.0.0.1', '2606:4700::1', '::1', '1.1.1.1', '10.0.0.1', '1.1.1.2', '1.1.1.3'],
      ],
    };
    const { request, sent } = open({ names });

    await request('https://mixed.example.com/');

    expect(addressesOf(sent)).toEqual([['1.1.1.1', '1.1.1.2', '2606:4700::1']]);
  });
});

describe('a redirect', () => {
  const from = 'https://idp.example.com/a';
  const headers = { authorization: 'Bearer x', cookie: 'a=b', accept: 'text/plain', 'x-key': 'k' };

  test('is a response unless the request follows redirects', async () => {
    const { request, sent } = open({ names: idp, redirects: { [from]: [302, '/b'] } });

    const response = await request(from);

    expect([response.status, response.headers.get('location'), sent.length]).toEqual([
      302,
      '/b',
      1,
    ]);
  });

  test.each(['POST', 'DELETE', 'PUT'])('of %s is never followed', async (method) => {
    const { request, sent } = open({ names: idp, redirects: { [from]: [307, '/b'] } });

    const response = await request(from, { method, body: 'secret=x', maxRedirects: 3 });

    expect([response.status, sent.length]).toEqual([307, 1]);
  });

  test.each([
    ['a private address', 'https://10.0.0.1/'],
    ['loopback', 'https://127.0.0.1/'],
    ['the same host by http', 'http://idp.example.com/b'],
    ['another port', 'https://idp.example.com:8443/b'],
    ['a name with a private address', 'https://inside.example.com/'],
    ['another scheme', 'file:///etc/passwd'],
    ['nothing', 'https://'],
  ])('to %s is an error', async (_, to) => {
    const names = { ...idp, 'inside.example.com': [['192.168.0.1']] };
    const { request, sent } = open({ names, redirects: { [from]: [302, to] } });

    await expect(request(from, { maxRedirects: 3 })).rejects.toMatchObject(unreachable);

    expect(sent.map(({ url }) => url)).toEqual([from]);
  });

  test('to a name that has changed its address is an error', async () => {
    const names = { 'idp.example.com': [[publicAddress], ['127.0.0.1']] };
    const { request } = open({ names, redirects: { [from]: [302, '/b'] } });

    await expect(request(from, { maxRedirects: 3 })).rejects.toMatchObject(unreachable);
  });

  test('takes no credentials to another host, nor back', async () => {
    const names = { ...idp, 'other.example.com': [['1.1.1.1']] };
    const redirects = {
      [from]: [302, '/b'],
      'https://idp.example.com/b': [308, 'https://other.example.com/c'],
      'https://other.example.com/c': [301, 'https://idp.example.com/d'],
    } as const;
    const { request, sent } = open({ names, redirects });

    await request(from, { headers, maxRedirects: 3 });

    const all = { ...headers, 'user-agent': 'groundwork' };
    const few = { accept: 'text/plain', 'user-agent': 'groundwork' };
    expect(sent.map(({ url, headers: each }) => [url, each])).toEqual([
      [from, all],
      ['https://idp.example.com/b', all],
      ['https://other.example.com/c', few],
      ['https://idp.example.com/d', few],
    ]);
  });

  test('is followed three times at most', async () => {
    const { request, sent } = open({ names: idp, redirects: { [from]: [302, '/a'] } });

    await expect(request(from, { maxRedirects: 3 })).rejects.toMatchObject(unreachable);

    expect(sent).toHaveLength(4);
  });
});

describe('a host that the operator allows', () => {
  const allowed = ['idp.internal', 'keys.internal:8443', '127.0.0.1:8080', 'localhost', '[::1]:80'];
  const names = {
    'idp.internal': [['10.0.0.7', 'fd12::7']],
    'keys.internal': [['127.0.0.1', '169.254.169.254', 'fd00:ec2::254', '::ffff:10.0.0.1']],
    localhost: [['::1', '127.0.0.1', '10.0.0.1']],
  };

  test.each([
    ['by TLS', 'https://idp.internal/', ['10.0.0.7', 'fd12::7']],
    ['without TLS', 'http://idp.internal/', ['10.0.0.7', 'fd12::7']],
    ['in capitals', 'https://IDP.internal/', ['10.0.0.7', 'fd12::7']],
    ['at its port', 'http://127.0.0.1:8080/', ['127.0.0.1']],
    ['at its port by TLS', 'https://127.0.0.1:8080/', ['127.0.0.1']],
    ['at the usual port', 'http://[::1]/', ['::1']],
    ['on this machine', 'https://localhost/', ['127.0.0.1', '::1']],
  ])('is reached %s', async (_, url, addresses) => {
    const { request, sent } = open({ allowed, names });

    await request(url);

    expect(addressesOf(sent)).toEqual([addresses]);
  });

  test.each([
    ['at another port', 'https://idp.internal:8443/'],
    ['at the port of the other scheme', 'https://idp.internal:80/'],
    ['at the usual port instead of its own', 'https://keys.internal/'],
    ['at addresses of this machine, of link-local or of metadata', 'https://keys.internal:8443/'],
    ['by another form of its address', 'http://[::ffff:127.0.0.1]:8080/'],
    ['below its name', 'https://a.idp.internal/'],
    ['with a user', 'https://kim@idp.internal/'],
    ['by another scheme', 'ftp://idp.internal/'],
  ])('is not reached %s', async (_, url) => {
    const { request, sent } = open({
      allowed,
      names: { ...names, 'a.idp.internal': [['10.0.0.7']] },
    });

    await expect(request(url)).rejects.toMatchObject(unreachable);

    expect(sent).toEqual([]);
  });
});
