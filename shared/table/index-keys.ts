import type { CompiledClass, StoredValues } from '../classes/rules/compiled-class.ts';
import type { ClassFieldType } from '../classes/rules/field-types.ts';
import { cellOf } from '../search/query/geo/cells.ts';
import { toPoint } from '../search/query/geo/geo.ts';
import { type IndexKeys, type IndexName, indexNames } from '../store/store.ts';
import type { Json } from '../values/json/json.ts';
import { digestText } from '../values/text/text-digest.ts';
import { idKey } from './key-parts.ts';

/*
 * Keys whose text order, by code point, is the order of the values. A key is the encoded value, U+0000 and the id in
 * ten digits: equal values are in the order of ids. No encoded value contains U+0000, and null comes last.
 */

/** Represents null, after every value: no encoded value begins with it. */
export const nullCode = '~';

/** Separates the encoded value from the id; before every other character. */
export const codeEnd = '\u0000';

/** Index keys under construction. */
export type SlotKeys = { -readonly [name in keyof IndexKeys]: IndexKeys[name] };

/**
 * Returns the keys of an object in the slots of its class. Every slot that the class uses has one, also for null, so
 * that a slot lists every object.
 *
 * @param id the object's id, at most ten digits
 */
export function slotKeys(compiled: CompiledClass, values: StoredValues, id: number): SlotKeys {
  const keys: SlotKeys = {};
  const end = codeEnd + idKey(id);
  for (const { slot, type, storage } of compiled.indexed) {
    if (slot === undefined) continue;
    keys[slotName(slot)] = encodeValue(type, values[storage] ?? null) + end;
  }
  return keys;
}

/** Returns the name of a slot, 0 to 15. */
export function slotName(slot: number | undefined): IndexName {
  const name = indexNames[slot ?? -1]; // the first sixteen are the slots
  if (name === undefined) throw new Error(`no slot ${slot}`);
  return name;
}

/** Code units of a code in the keys of a composite index; two long texts would be too much for a key. */
const longestCode = 64;
const digestMark = '#'; // no encoded value begins with it

/**
 * Returns the prefix of the keys of objects with this value in a composite index; their keys in the index of the order
 * follow. For a long text it is a digest, which another text might share: readers compare the value again.
 */
export function compositeIndexPrefix(type: ClassFieldType, value: Json): string {
  const code = encodeValue(type, value);
  return (code.length > longestCode ? digestMark + digestText(code) : code) + codeEnd;
}

/**
 * Encodes a stored value of a type that has an order; points are ordered by their cells. Equal values have the same
 * code, so it also shows whether two values of a unique field are equal.
 */
export function encodeValue(type: ClassFieldType, value: Json): string {
  if (value === null) return nullCode;
  switch (type) {
    case 'integer':
    case 'float':
    case 'reference':
      return encodeNumber(Number(value));
    case 'boolean':
      return value === true ? '1' : '0';
    case 'datetime':
      return String(value); // ISO text with a year of four digits: its order is that of time
    case 'string':
      return encodeText(String(value));
    case 'geopoint':
      return encodePoint(value);
    case 'text':
    case 'file':
    case 'relation':
    case 'array':
    case 'object':
      throw new Error(`values of type ${type} have no order`);
  }
}

function encodePoint(value: Json): string {
  const point = toPoint(value);
  if (point === undefined) throw new Error('a geopoint without coordinates');
  return cellOf(point);
}

const bits = new DataView(new ArrayBuffer(8));

/**
 * Encodes a number as 16 hex digits: those of the double, with the sign flipped when positive and every bit flipped
 * when negative. -0 is 0.
 */
export function encodeNumber(value: number): string {
  bits.setFloat64(0, value + 0);
  const high = bits.getUint32(0);
  const low = bits.getUint32(4);
  return high < 0x80000000 ? hex(high + 0x80000000) + hex(low) : hex(~high >>> 0) + hex(~low >>> 0);
}

function hex(word: number): string {
  return word.toString(16).padStart(8, '0');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is these that are escaped
const escapedCharacters = /[\u0000\u0001]/;

/**
 * Encodes text, at most doubling it. It begins with a quote, so that no text is mistaken for null, and the code of a
 * prefix is a prefix of the code. U+0000 becomes U+0001 U+0001, and U+0001 becomes U+0001 U+0002.
 */
export function encodeText(text: string): string {
  if (!escapedCharacters.test(text)) return `"${text}`;
  const escaped = text.replaceAll('\u0001', '\u0001\u0002').replaceAll('\u0000', '\u0001\u0001');
  return `"${escaped}`;
}

/** Decodes the result of `encodeText`. */
export function decodeIndexText(code: string): string {
  return code
    .slice(1)
    .replaceAll('\u0001\u0001', '\u0000') // pairs with another second character do not begin one of these
    .replaceAll('\u0001\u0002', '\u0001');
}
