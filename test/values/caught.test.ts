import { describe, expect, it } from 'vitest';
import { causeOf, codeOf, messageOf, nameOf } from '../../shared/values/caught.ts';

const failure = (properties: object) => Object.assign(new Error('disk is gone'), properties);

describe('a caught error', () => {
  it('has a cause, its stack', () => {
    const error = failure({});

    expect(causeOf(error)).toBe(error.stack);
    expect(causeOf(failure({ stack: undefined }))).toBe('disk is gone');
  });

  it('has a message and a name', () => {
    expect(messageOf(failure({}))).toBe('disk is gone');
    expect(nameOf(new TypeError('x'))).toBe('TypeError');
    expect(nameOf(failure({ name: 'AbortError' }))).toBe('AbortError');
  });

  it.each([
    [failure({ code: 'ENOENT' }), 'ENOENT'],
    [failure({ code: 20 }), undefined],
    [failure({}), undefined],
    [{ code: 'ENOENT' }, undefined],
    [null, undefined],
  ])('has a code when a system call failed: %#', (error, code) => {
    expect(codeOf(error)).toBe(code);
  });
});

describe('another thrown value', () => {
  it.each([
    ['stop', 'stop', 'string'],
    [undefined, 'undefined', 'undefined'],
    [5, '5', 'number'],
    [null, 'null', 'object'],
  ])('%s is its own text, with the name of its type', (value, text, name) => {
    expect(causeOf(value)).toBe(text);
    expect(messageOf(value)).toBe(text);
    expect(nameOf(value)).toBe(name);
  });
});
