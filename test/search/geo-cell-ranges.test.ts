import { describe, expect, it } from 'vitest';
import { cellOf, cellsAround } from '../../shared/search/query/geo/cells.ts';

const point = (longitude: number, latitude: number) => ({ longitude, latitude });
/** Ranges of cells as text: `first-last`, or one cell. */
function ranges(longitude: number, latitude: number, kilometers: number) {
  return cellsAround(point(longitude, latitude), kilometers)?.map(({ first, last }) =>
    first === last ? first : `${first}-${last}`,
  );
}

describe('ranges of cells around a circle', () => {
  it.each([
    ['of no size', 13.4, 52.5, 0, ['u33d8vmdd']],
    [
      'of no size where four cells meet',
      0,
      0,
      0,
      ['7zzzzzzzz', 'ebpbpbpbp', 'kpbpbpbpb', 's00000000'],
    ],
    [
      'of a town',
      13.4,
      52.5,
      5,
      ['u336r', 'u336x', 'u336z', 'u33d2-u33d3', 'u33d6', 'u33d8-u33dd', 'u33df'],
    ],
    ['of a country', 10, 51, 400, ['u0-u3']],
    [
      'on the equator',
      0,
      0,
      1,
      ['7zzzzy-7zzzzz', 'ebpbpb-ebpbpc', 'kpbpbn-kpbpbp', 's00000-s00001'],
    ],
    [
      'on the date line',
      180,
      0,
      1,
      ['2pbpbn-2pbpbp', '800000-800001', 'rzzzzy-rzzzzz', 'xbpbpb-xbpbpc'],
    ],
    ['around the north pole', 10, 89.99, 50, ['b-c', 'f-g', 'u-v', 'y-z']],
    ['around the south pole', 10, -89.99, 50, ['0-1', '4-5', 'h-j', 'n-p']],
    [
      'near the north pole',
      0,
      89,
      100,
      ['fx', 'fz', 'gp', 'gr', 'gx', 'gz', 'up', 'ur', 'ux', 'uz', 'vp', 'vr'],
    ],
    ['of a continent', 0, 0, 5000, ['7', 'e', 'k', 's']],
    ['of an ocean', 0, 80, 1000, ['f-g', 'u-v']],
  ])('%s', (_, longitude, latitude, kilometers, expected) => {
    expect(ranges(longitude, latitude, kilometers)).toEqual(expected);
  });

  it('are none for half of the earth', () => {
    expect(ranges(0, 0, 10_000)).toBeUndefined();
  });
});

describe('the cell of a point', () => {
  it.each([
    [13.4, 52.5, 'u33d8vmdd'],
    [-180, -90, '00000000'],
    [1, 1, 's00twy01m'],
  ])('at %d, %d begins with %s', (longitude, latitude, code) => {
    const cell = cellOf(point(longitude, latitude));

    expect(cell).toHaveLength(12);
    expect(cell.startsWith(code)).toBe(true);
  });
});
