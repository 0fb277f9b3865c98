import { describe, expect, it } from 'vitest';
import {
  contentTypeOf,
  dispositionOf,
  filenameErrors,
  uploadErrors,
} from '../../shared/values/uploads.ts';

const tooLong = 'File provided has too long extension. Max 16 characters.';

describe('the name of a file', () => {
  it.each([
    ['photo.png', []],
    ['', []],
    ['x'.repeat(300), []],
    [`a.${'x'.repeat(15)}`, []],
    [`a.${'x'.repeat(16)}`, [tooLong]],
    [`a.${'😀'.repeat(15)}`, []],
    [`a.${'😀'.repeat(16)}`, [tooLong]],
  ])('%s has the errors %j', (filename, errors) => {
    expect(filenameErrors(filename)).toEqual(errors);
  });
});

describe('an uploaded file', () => {
  const upload = (filename: string, size: number) => ({
    field: 'scan',
    filename,
    contentType: 'text/plain',
    bytes: new Uint8Array(size),
  });

  it.each([
    ['with bytes', upload('a.txt', 1), []],
    ['without bytes', upload('a.txt', 0), ['The submitted file is empty.']],
    ['with a long extension', upload(`a.${'x'.repeat(16)}`, 1), [tooLong]],
    [
      'without bytes, with a long extension',
      upload(`a.${'x'.repeat(16)}`, 0),
      ['The submitted file is empty.'],
    ],
  ])('%s', (_, file, errors) => {
    expect(uploadErrors(file)).toEqual(errors);
  });
});

const unknown = 'application/octet-stream';

describe('the stored content type', () => {
  it.each([
    ['image/png', 'a.jpg', 'image/png'],
    ['IMAGE/PNG', 'a', 'image/png'],
    ['application/vnd.api+json', 'a', 'application/vnd.api+json'],
    ['x/y', 'a.png', 'x/y'],
    ['', 'a.png', 'image/png'],
    ['text/plain', 'a.png', 'image/png'],
    ['application/octet-stream', 'a.PNG', 'image/png'],
    ['Text/Plain', 'a.html', 'text/html'],
    ['', 'a.tar.gz', 'application/gzip'],
    ['', 'a.mp4', 'video/mp4'],
    ['', 'a.mp3', 'audio/mpeg'],
    ['', 'a.woff2', 'font/woff2'],
    ['text/plain', 'a', 'text/plain'],
    ['TEXT/PLAIN', 'a.unknown', 'text/plain'],
    ['', 'a', unknown],
    ['', 'a.unknown', unknown],
    ['', '', unknown],
    ['application/octet-stream', 'a.unknown', unknown],
    ['png', 'a', unknown],
    ['png', 'a.png', 'image/png'],
    ['image/', 'a', unknown],
    ['/png', 'a', unknown],
    ['image/png/x', 'a', unknown],
    ['image/png\r\nx', 'a', unknown],
    [' image/png', 'a', unknown],
    ['image/pñg', 'a', unknown],
    ['text/plain; charset=utf-8', 'a.txt', 'text/plain; charset=utf-8'],
    ['Text/Plain;charset="ISO-8859-2"', 'a.txt', 'text/plain; charset=iso-8859-2'],
    ['text/plain; charset=utf-8', 'a.csv', 'text/csv; charset=utf-8'],
    ['text/csv ; header=present; charset=utf-8', 'a', 'text/csv; charset=utf-8'],
    ['text/plain; charset=utf-8', 'a.png', 'image/png'],
    ['text/plain; charset=a b', 'a', 'text/plain; charset=a'],
    ['text/plain; charset=é', 'a', 'text/plain'],
    ['text/plain; charset=utf-8\r\nx: y', 'a', 'text/plain; charset=utf-8'],
    [`x/${'y'.repeat(127)}`, 'a', `x/${'y'.repeat(127)}`],
    [`x/${'y'.repeat(128)}`, 'a', unknown],
    [`${'x'.repeat(128)}/y`, 'a', unknown],
  ])('of "%s" for "%s" is %s', (said, filename, type) => {
    expect(contentTypeOf(said, filename)).toBe(type);
  });
});

describe('a browser', () => {
  it.each([
    'text/plain; charset=utf-8',
    'image/png',
    'audio/mpeg',
    'video/mp4',
    'font/woff2',
    'text/plain',
    'text/csv',
    'application/pdf',
    'application/json',
  ])('shows %s', (type) => {
    expect(dispositionOf(type)).toBe('inline');
  });

  it.each([
    'image/svg+xml',
    'text/html',
    'text/html; charset=utf-8',
    'text/html;text/plain',
    'text/plainly',
    'text/css',
    'text/javascript',
    'application/xhtml+xml',
    'application/json+x',
    'application/pdfx',
    'application/octet-stream',
    'x-image/png',
    'xtext/plain',
    '',
  ])('saves "%s"', (type) => {
    expect(dispositionOf(type)).toBe('attachment');
  });
});
