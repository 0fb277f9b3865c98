import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { recordId } from '../../shared/values/record-id.ts';

describe('the id of a record', () => {
  it.each([
    [1, 1],
    [2_147_483_647, 2_147_483_647],
    ['7', 7],
    [' 7 ', 7],
    ['+7', 7],
    ['007', 7],
    ['000000000000000007', 7],
  ])('%j is %d', (input, id) => {
    expect(v.parse(recordId(), input)).toBe(id);
  });

  it.each([
    [0, 'Invalid pk "0" - object does not exist.'],
    [-1, 'Invalid pk "-1" - object does not exist.'],
    ['-7', 'Invalid pk "-7" - object does not exist.'],
    [2_147_483_648, 'Invalid pk "2147483648" - object does not exist.'],
    ['2147483648', 'Invalid pk "2147483648" - object does not exist.'],
    [1.5, 'Incorrect type. Expected pk value, received float.'],
    [true, 'Incorrect type. Expected pk value, received bool.'],
    [[1], 'Incorrect type. Expected pk value, received list.'],
    [{}, 'Incorrect type. Expected pk value, received dict.'],
    ['', 'Incorrect type. Expected pk value, received str.'],
    ['7.0', 'Incorrect type. Expected pk value, received str.'],
    ['1e3', 'Incorrect type. Expected pk value, received str.'],
    ['7a', 'Incorrect type. Expected pk value, received str.'],
    ['a7', 'Incorrect type. Expected pk value, received str.'],
    ['--7', 'Incorrect type. Expected pk value, received str.'],
    ['1'.repeat(19), 'Incorrect type. Expected pk value, received str.'],
  ])('%j is none', (input, message) => {
    const result = v.safeParse(recordId(), input);

    expect(result.issues?.map((issue) => issue.message)).toEqual([message]);
  });
});
