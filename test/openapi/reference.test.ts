import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { routes } from '../../functions/api.ts';
import { referenceFiles } from '../../functions/schema/reference/files.ts';

describe('the page with all operations', () => {
  const { gzip = '' } = referenceFiles(routes, 1)['index.html'] ?? {};
  const page = gunzipSync(Buffer.from(gzip, 'base64')).toString();
  const anchors = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  const links = [...page.matchAll(/ href="([^"]+)"/g)].map(([, link = '']) => link);

  it('has unique anchors, which its links name, and loads nothing', () => {
    const unknown = links.filter((link) => !anchors.includes(link.replace(/^#/, '')));

    expect(anchors.length).toBe(new Set(anchors).size);
    expect(unknown).toEqual(['../../v1.1/schema/?format=openapi']);
    expect(anchors).toContain('createClass');
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(/);
  });
});
