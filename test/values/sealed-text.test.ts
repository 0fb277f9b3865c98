import { describe, expect, it } from 'vitest';
import { sealText, unsealText } from '../../shared/values/text/sealed-text.ts';
import { digestText } from '../../shared/values/text/text-digest.ts';

const key = Buffer.alloc(32, 1);
const another = Buffer.alloc(32, 2);
const flipped = (sealed: string, at: number) => {
  const bytes = Buffer.from(sealed, 'base64');
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return bytes.toString('base64');
};

describe('a sealed text', () => {
  it.each(['', 'a', 'grüße 😀', 'x'.repeat(10_000)])('"%s" is opened', (text) => {
    expect(unsealText(key, sealText(key, text, 'blog'), 'blog')).toBe(text);
  });

  it('does not show the text, and differs each time', () => {
    const [first, second] = [sealText(key, 'secret', 'blog'), sealText(key, 'secret', 'blog')];

    expect(Buffer.from(first, 'base64').toString()).not.toContain('secret');
    expect(first).not.toBe(second);
  });

  it('is 28 bytes longer than its text', () => {
    expect(Buffer.from(sealText(key, 'secret', 'blog'), 'base64')).toHaveLength(34);
  });

  it.each([
    ['with another key', (sealed: string) => unsealText(another, sealed, 'blog')],
    ['in another context', (sealed: string) => unsealText(key, sealed, 'shop')],
    ['with another first byte', (sealed: string) => unsealText(key, flipped(sealed, 0), 'blog')],
    ['with another letter', (sealed: string) => unsealText(key, flipped(sealed, 12), 'blog')],
    ['with another last byte', (sealed: string) => unsealText(key, flipped(sealed, 33), 'blog')],
    ['cut', (sealed: string) => unsealText(key, sealed.slice(0, 8), 'blog')],
  ])('is not opened %s', (_, open) => {
    expect(() => open(sealText(key, 'secret', 'blog'))).toThrow();
  });
});

describe('the digest of a text', () => {
  it('has 44 characters and depends on nothing else', () => {
    expect(digestText('')).toBe('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=');
    expect(digestText('a')).not.toBe(digestText('b'));
  });
});
