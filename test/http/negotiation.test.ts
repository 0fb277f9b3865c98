import { expect, test } from 'vitest';
import { chooseForm, jsonIndent } from '../../shared/core/http/negotiation.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

test.each([
  ['nothing', undefined, 'json'],
  ['an empty header', '', 'json'],
  ['anything', '*/*', 'json'],
  ['any application', 'application/*', 'json'],
  ['JSON', 'application/json', 'json'],
  ['JSON in capitals', 'Application/JSON', 'json'],
  ['JSON with parameters', 'application/json; indent=4; charset=utf-8', 'json'],
  ['a browser', browser, 'html'],
  ['any text', 'text/*', 'html'],
  ['both alike', 'text/html, application/json', 'json'],
  ['a page or anything', 'text/html, */*', 'html'],
  ['a page with less weight', 'text/html;q=0.5, application/json;q=0.9', 'json'],
  ['a page with more weight', 'text/html; Q=0.9, application/json; q=0.5', 'html'],
  ['an exact range lowers a wide one', 'text/html;q=0.1, */*;q=0.9', 'json'],
  ['a family lowers anything', 'application/*;q=0.2, */*;q=0.3', 'html'],
  ['JSON refused', 'application/json;q=0, */*', 'html'],
  ['a page refused', 'text/html;q=0, */*;q=0.1', 'json'],
  ['axios', 'application/json, text/plain, */*', 'json'],
  ['a broken weight counts as none', 'text/html;q=x, application/json;q=0.9', 'html'],
])('%s', (_name, accept, expected) => {
  expect(chooseForm(accept)).toBe(expected);
});

test.each([
  ['json forced on a browser', browser, 'json', 'json'],
  ['html forced', undefined, 'html', 'html'],
  ['an empty one says nothing', browser, '', 'html'],
  ['json forced on who refuses it', 'application/xml', 'json', 'json'],
])('format: %s', (_name, accept, format, expected) => {
  expect(chooseForm(accept, format)).toBe(expected);
});

test.each([
  ['another type', 'application/xml', undefined, 406],
  ['everything refused', '*/*;q=0', undefined, 406],
  ['both refused', 'application/json;q=0, text/html;q=0.000, */*', undefined, 406],
  ['nonsense', 'hello', undefined, 406],
  ['an unknown format', '*/*', 'xml', 404],
])('%s is rejected', (_name, accept, format, status) => {
  expect(() => chooseForm(accept, format)).toThrow(expect.objectContaining({ status }));
});

test.each([
  [undefined, 0],
  ['application/json', 0],
  ['application/json; indent=4', 4],
  ['text/html, application/json;q=1;indent=2', 2],
  ['application/json; indent=99', 8],
  ['application/json; indent=x', 0],
  ['text/html; indent=4, application/json', 0],
])('indent of %s', (accept, expected) => {
  expect(jsonIndent(accept)).toBe(expected);
});
