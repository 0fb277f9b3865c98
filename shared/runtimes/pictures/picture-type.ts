/** Types of pictures that are made smaller, by the names of sharp. */
export type PictureType = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif';

const signatures: readonly (readonly [type: PictureType, at: number, bytes: string])[] = [
  ['jpeg', 0, '\xff\xd8\xff'],
  ['png', 0, '\x89PNG\r\n\x1a\n'],
  ['webp', 8, 'WEBP'],
  ['gif', 0, 'GIF87a'],
  ['gif', 0, 'GIF89a'],
  ['avif', 4, 'ftypavif'],
  ['avif', 4, 'ftypavis'],
];

/** Returns the type of a picture by its first bytes; undefined for any other file. */
export function pictureTypeOf(file: Uint8Array): PictureType | undefined {
  const found = signatures.find(([, at, bytes]) => {
    const expected = Buffer.from(bytes, 'latin1');
    return expected.equals(file.subarray(at, at + expected.length));
  });
  return found?.[0];
}
