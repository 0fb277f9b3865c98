import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { htmlReference, pageFile } from './html-reference.ts';

describe('the page with all operations', () => {
  const page = readFileSync(pageFile, 'utf8');

  it('is up to date with the routes; npm run reference writes it', () => {
    expect(page === htmlReference()).toBe(true); // without two hundred kilobytes of difference
  });

  it('has unique anchors, which its links name, and loads nothing', () => {
    const anchors = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    const links = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);

    expect(anchors.length).toBe(new Set(anchors).size);
    expect(links.filter((id) => !anchors.includes(id))).toEqual([]);
    expect(anchors).toContain('createClass');
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(/);
  });
});
