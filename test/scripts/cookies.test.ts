import { describe, expect, it } from 'vitest';
import { confineCookie } from '../../functions/script-endpoints/cookies.ts';

const home = '/v1.1/instances/blog-1/';

describe('a cookie of a script', () => {
  it.each([
    ['a=1', `a=1; Path=${home}`],
    ['a=1; Path=/', `a=1; Path=${home}`],
    ['a=1; path=/v1.1/instances/blog-10/', `a=1; Path=${home}`],
    ['a=1; Path=/v1.1/instances/other/; HttpOnly', `a=1; HttpOnly; Path=${home}`],
    [`a=1; Path=${home}endpoints/; Secure`, `a=1; Secure; Path=${home}endpoints/`],
    [`a=1; Path=${home}x/; PATH=/`, `a=1; Path=${home}`],
    ['a=1; Path=', `a=1; Path=${home}`],
    [
      'a=1; Domain=.a.com; Max-Age=6; domain = b.org; SameSite=Lax',
      `a=1; Max-Age=6; SameSite=Lax; Path=${home}`,
    ],
    [
      'a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT',
      `a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT; Path=${home}`,
    ],
  ])('%s', (cookie, sent) => {
    expect(confineCookie(cookie, home)).toBe(sent);
  });
});
