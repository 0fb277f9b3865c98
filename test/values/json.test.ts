import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type Json, jsonTypeName } from '../../shared/values/json/json.ts';
import { measureIndented, measureStructure } from '../../shared/values/json/json-structure.ts';
import {
  isSameJson,
  isStorable,
  readJson,
  wellFormedJson,
} from '../../shared/values/json/json-values.ts';

const nested = (levels: number, inside: string): unknown =>
  JSON.parse(`${'['.repeat(levels)}${inside}${']'.repeat(levels)}`);

describe('the type of a JSON value', () => {
  it.each([
    [null, 'NoneType', false],
    [undefined, 'NoneType', false],
    ['a', 'str', false],
    [true, 'bool', false],
    [1, 'int', false],
    [1.5, 'float', false],
    [[], 'list', false],
    [{}, 'dict', true],
  ])('%j is %s; an object: %s', (value, name, isObject) => {
    expect(jsonTypeName(value)).toBe(name);
    expect(isJsonObject(value)).toBe(isObject);
  });
});

describe('the structure of a JSON text', () => {
  it.each([
    ['', 0, 0],
    ['17', 0, 0],
    ['[]', 2, 1],
    ['{}', 2, 1],
    ['[1,2]', 3, 1],
    ['{"a":1,"b":2}', 5, 1],
    ['[[],[]]', 7, 2],
    ['{"a":{"b":[1]}}', 8, 3],
    ['[[[]],[[]]]', 11, 3],
    ['"[{,:}]"', 0, 0],
    ['{"[":"]"}', 3, 1],
    ['["a\\"[","b"]', 3, 1],
    ['["a\\\\",[]]', 5, 2],
    ['["a\\\\\\"[",1]', 3, 1],
    ['["\\"",[]]', 5, 2],
    ['["",[]]', 5, 2],
    ['"[[[[', 0, 0],
    ['["\\"[[', 1, 1],
    ['[",[', 1, 1],
    ['[[', 2, 2],
    [']][', 3, 0],
  ])('%s has %d characters in %d levels', (text, characters, depth) => {
    expect(measureStructure(text, 100, 100)).toEqual({ characters, depth });
  });

  it('is no longer measured above the first limit', () => {
    expect(measureStructure('[[[[', 100, 2)).toEqual({ characters: 3, depth: 3 });
    expect(measureStructure('[,,,,', 2, 100)).toEqual({ characters: 3, depth: 1 });
    expect(measureStructure('[[,,', 4, 2)).toEqual({ characters: 4, depth: 2 });
  });
});

describe('the indented form of a JSON text', () => {
  it.each([
    '0',
    '"[,:\\\\\\"]"',
    '[]',
    '{}',
    '[[]]',
    '[{}]',
    '[1]',
    '{"a":{}}',
    '[1,[2,{"a":3,"b:,":[[]]}],{"c":"{"}]',
  ])('%s has the length that it is measured to have', (text) => {
    for (const indent of [1, 2, 8]) {
      const { length } = measureIndented(text, indent, unlimited);
      expect(length).toBe(JSON.stringify(JSON.parse(text), undefined, indent).length);
    }
  });

  it('has it for every value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.integer({ min: 1, max: 8 }), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json));
        const size = measureIndented(text, indent, unlimited);
        expect(size.length).toBe(JSON.stringify(JSON.parse(text), undefined, indent).length);
        expect(size.characters).toBe(measureStructure(text, 1e9, 1e9).characters);
      }),
    );
  });

  it('is no longer measured above the first limit', () => {
    const text = `${'['.repeat(1e6)}${']'.repeat(1e6)}`;

    const long = measureIndented(text, 8, { ...unlimited, length: 3e6 });
    const many = measureIndented(text, 8, { ...unlimited, characters: 100 });

    expect(long.characters).toBeLessThan(1000);
    expect(many.characters).toBe(101);
  });
});

const unlimited = { characters: Number.POSITIVE_INFINITY, length: Number.POSITIVE_INFINITY };

const ones = (count: number) => `[${'1,'.repeat(count - 1)}1]`;

describe('JSON as a value', () => {
  it.each<[unknown, unknown]>([
    ['{"a":[1]}', { a: [1] }],
    ['"a"', 'a'],
    ['1', 1],
    [{ a: 1 }, { a: 1 }],
    [5, 5],
    [null, null],
  ])('%j is read as %j', (input, value) => {
    expect(readJson(input)).toEqual({ ok: true, value });
  });

  it.each(['', 'a', '{', "{'a':1}"])('is not read from the text "%s"', (input) => {
    expect(readJson(input)).toEqual({ ok: false, messages: ['Not a valid JSON string.'] });
  });

  it('has at most 200,000 structural characters as text', () => {
    const long = '['.repeat(200_001);

    expect(readJson(ones(199_999)).ok).toBe(true);
    expect(readJson(ones(200_000)).ok).toBe(false);
    expect(readJson(JSON.stringify(long))).toEqual({ ok: true, value: long });
  });
});

describe('a value that can be stored', () => {
  it.each<[string, unknown, boolean]>([
    ['null', null, true],
    ['a text', 'a', true],
    ['an object with a list', { a: [1, { b: null }] }, true],
    ['an empty list', [], true],
    ['100 levels', nested(100, '1'), true],
    ['101 levels', nested(101, '1'), false],
    ['1000 levels', nested(1000, ''), false],
    ['infinity', JSON.parse('1e999'), false],
    ['minus infinity in a list', JSON.parse('[-1e999]'), false],
    ['infinity in an object, after other members', JSON.parse('{"a":1,"b":{"c":1e999}}'), false],
    ['a list of a million members', Array.from({ length: 1_000_000 }, () => 1), true],
  ])('%s', (_, value, expected) => {
    expect(isStorable(value)).toBe(expected);
  });
});

describe('lone surrogates', () => {
  it.each<[Json, Json]>([
    ['\ud800', '\ufffd'],
    ['a\udfffb', 'a\ufffdb'],
    ['\ud800\ud800', '\ufffd\ufffd'],
    ['\\ud800', '\\ud800'],
    ['\\\ud800', '\\\ufffd'],
    ['\\ud800 \ud800', '\\ud800 \ufffd'],
    [{ '\udc00': ['\ud900'] }, { '\ufffd': ['\ufffd'] }],
    ['😀 \ud800', '😀 \ufffd'],
  ])('in %j are replaced', (value, replaced) => {
    expect(wellFormedJson(value)).toEqual(replaced);
  });

  it('are the only reason for a copy', () => {
    const value = { a: ['😀', '\ue000', 'ud800'] };

    expect(wellFormedJson(value)).toBe(value);
  });
});

describe('two JSON values', () => {
  it.each<[Json | undefined, Json | undefined]>([
    [1, 1],
    ['a', 'a'],
    [null, null],
    [undefined, undefined],
    [[], []],
    [{}, {}],
    [
      [1, ['a']],
      [1, ['a']],
    ],
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
  ])('%j and %j are the same', (a, b) => {
    expect(isSameJson(a, b)).toBe(true);
    expect(isSameJson(b, a)).toBe(true);
  });

  it.each<[Json | undefined, Json | undefined]>([
    [1, '1'],
    [1, true],
    [0, null],
    [null, undefined],
    ['a', 'b'],
    [[], {}],
    [[], null],
    [{}, null],
    [{}, 'a'],
    [[1], [1, 2]],
    [
      [1, 2],
      [2, 1],
    ],
    [['a'], { 0: 'a' }],
    [['a'], 'a'],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ toString: 1 }, { a: 1 }],
    [{ a: { b: [1] } }, { a: { b: [2] } }],
  ])('%j and %j differ', (a, b) => {
    expect(isSameJson(a, b)).toBe(false);
    expect(isSameJson(b, a)).toBe(false);
  });
});
