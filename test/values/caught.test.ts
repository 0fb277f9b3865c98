import { describe, expect, it } from 'vitest';
import { codeOf, errorName, messageOf, stackOf } from '../../shared/values/caught.ts';

const failure = (properties: object) => Object.assign(new Error('disk is gone'), properties);

describe('a caught error', () => {
  it('has a cause, its stack', () => {
    const error = failure({});

    expect(stackOf(error)).toBe(error.stack);
    expect(stackOf(failure({ stack: undefined }))).toBe('disk is gone');
  });

  it('has a message and a name', () => {
    expect(messageOf(failure({}))).toBe('disk is gone');
    expect(errorName(new TypeError('x'))).toBe('TypeError');
    expect(errorName(failure({ name: 'AbortError' }))).toBe('AbortError');
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
    expect(stackOf(value)).toBe(text);
    expect(messageOf(value)).toBe(text);
    expect(errorName(value)).toBe(name);
  });
});
