import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellOf, cellsAround } from '../../shared/search/query/geo/cells.ts';
import { distanceKm, type Point } from '../../shared/search/query/geo/geo.ts';

const longitude = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.constantFrom(-180, -179.999999, -135, -90, -45, -1e-9, 0, 45, 90, 179.999999, 180),
);
const latitude = fc.oneof(
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc.constantFrom(-90, -89.999999, -45, -1e-9, 0, 45, 89.9, 89.999999, 90),
);
const point: fc.Arbitrary<Point> = fc.record({ longitude, latitude });
const kilometers = fc.oneof(
  fc.constantFrom(0, 1e-6, 0.001, 1, 161, 1000, 5000, 10_007, 20_000, 40_075),
  fc.double({ min: 0, max: 500, noNaN: true }),
);

/** Returns a point at a distance from another, in some direction. */
function away(from: Point, far: number, bearing: number): Point {
  const radians = (angle: number) => (angle * Math.PI) / 180;
  const angle = far / 6371.0088;
  const [lat, lon] = [radians(from.latitude), radians(from.longitude)];
  const sine =
    Math.sin(lat) * Math.cos(angle) + Math.cos(lat) * Math.sin(angle) * Math.cos(bearing);
  const east = Math.sin(bearing) * Math.sin(angle) * Math.cos(lat);
  const to = lon + Math.atan2(east, Math.cos(angle) - Math.sin(lat) * sine);
  const turned = ((((to * 180) / Math.PI + 180) % 360) + 360) % 360;
  return {
    latitude: (Math.asin(Math.max(-1, Math.min(1, sine))) * 180) / Math.PI,
    longitude: turned - 180,
  };
}

function isCovered(found: Point, center: Point, far: number): boolean {
  const cells = cellsAround(center, far);
  const code = cellOf(found);
  return (
    cells?.some(({ first, last }) => {
      const cell = code.slice(0, first.length);
      return cell >= first && cell <= last;
    }) ?? true
  );
}

describe('cells around a circle', () => {
  it('contain every point in it, up to its edge', () => {
    const share = fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }));
    const bearing = fc.oneof(
      fc.constantFrom(0, Math.PI / 2, Math.PI, -Math.PI / 2),
      fc.double({ min: 0, max: 7, noNaN: true }),
    );
    fc.assert(
      fc.property(point, kilometers, share, bearing, (center, far, part, direction) => {
        const found = away(center, far * part, direction);
        if (distanceKm(found, center) > far) return;

        expect(isCovered(found, center, far)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it('contain every nearby random point', () => {
    fc.assert(
      fc.property(point, point, kilometers, (center, found, far) => {
        if (distanceKm(found, center) <= far) expect(isCovered(found, center, far)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['in a town', { longitude: 13.4, latitude: 52.5 }, 5, 5],
    ['on the equator where cells of every size meet', { longitude: 0, latitude: 0 }, 1, 5],
    ['on the date line', { longitude: 180, latitude: 0 }, 1, 5],
    ['of no size', { longitude: 13.4, latitude: 52.5 }, 0, 8],
    ['of a country', { longitude: 10, latitude: 51 }, 400, 2],
    ['around a pole', { longitude: 10, latitude: 89.99 }, 50, 1],
  ])('are few and small: %s', (_, center, far, length) => {
    const cells = cellsAround(center, far) ?? [];

    expect(cells.length).toBeGreaterThan(0);
    expect(cells.length).toBeLessThanOrEqual(12);
    expect(cells[0]?.first.length).toBeGreaterThanOrEqual(length);
  });

  it('are none where they would cover most of the earth', () => {
    expect(cellsAround({ longitude: 10, latitude: 51 }, 15_000)).toBeUndefined();
    expect(cellsAround({ longitude: 10, latitude: 51 }, 40_075)).toBeUndefined();
  });
});
