import ngeohash from 'ngeohash';
import { angleOf, degrees, type Point, radians } from './geo.ts';

/*
 * Points are indexed by their geohash: the earth is divided into cells, each of those into 32 smaller ones, and so on;
 * the code of a cell begins with that of its parent. A circle is searched in the few cells that cover it.
 */

/** Consecutive cells of one size, both ends included. */
export interface CellRange {
  readonly first: string;
  readonly last: string;
}

const codeLength = 12; // a cell of 4 by 2 cm
const finest = 9;
const mostCells = 12;
const digits = '0123456789bcdefghjkmnpqrstuvwxyz';
const roundingRadians = 2e-8; // 13 cm: maximum error of distances
const edgeDegrees = 1e-9; // a point between two cells is in either

/** Returns the code of a point's smallest cell. */
export function cellOf({ longitude, latitude }: Point): string {
  return ngeohash.encode(latitude, longitude, codeLength);
}

/**
 * Finds the smallest cells of which at most 12 cover a circle.
 *
 * @returns undefined when they would cover most of the earth
 */
export function cellsAround(center: Point, kilometers: number): readonly CellRange[] | undefined {
  const box = boxAround(center, kilometers);
  for (let length = finest; length > 0; length -= 1) {
    const grid = gridOf(length);
    const rows = span(box.south + 90, box.north + 90, grid.height, grid.rows);
    const columns = span(box.west + 180, box.east + 180, grid.width, grid.columns);
    if (rows.count * columns.count <= mostCells) return inRanges(cellsOf(grid, rows, columns));
  }
  return undefined;
}

interface Box {
  readonly south: number;
  readonly north: number;
  /** May lie beyond the date line, as may `east`. */
  readonly west: number;
  readonly east: number;
}

function boxAround({ longitude, latitude }: Point, kilometers: number): Box {
  const angle = angleOf(kilometers) + roundingRadians;
  const height = degrees(angle) + edgeDegrees;
  const south = Math.max(latitude - height, -90);
  const north = Math.min(latitude + height, 90 - edgeDegrees); // in the last row, not after it
  // all longitudes are around a pole
  if (latitude - height <= -90 || latitude + height >= 90)
    return { south, north, west: -180, east: 180 };
  const sine = Math.sin(angle) / Math.cos(radians(latitude));
  const width = sine >= 1 ? 180 : degrees(Math.asin(sine)) + edgeDegrees;
  return { south, north, west: longitude - width, east: longitude + width };
}

/** Cells of one size: their numbers, and their sides in degrees. */
interface Grid {
  readonly length: number;
  readonly rows: number;
  readonly columns: number;
  readonly height: number;
  readonly width: number;
}

/**
 * Returns the grid of a code length. Each character of a code has five bits, which halve longitude and latitude in
 * turn.
 */
function gridOf(length: number): Grid {
  const rows = 2 ** Math.floor((5 * length) / 2);
  const columns = 2 ** Math.ceil((5 * length) / 2);
  return { length, rows, columns, height: 180 / rows, width: 360 / columns };
}

interface Span {
  readonly from: number;
  readonly count: number;
}

/** Returns the cells of a row or column between two positions, at most all. */
function span(low: number, high: number, size: number, all: number): Span {
  const from = Math.floor(low / size);
  return { from, count: Math.min(Math.floor(high / size) - from + 1, all) };
}

function cellsOf({ length, rows, columns, height, width }: Grid, down: Span, across: Span) {
  const cells: string[] = [];
  for (let row = down.from; row < Math.min(down.from + down.count, rows); row += 1) {
    for (let at = across.from; at < across.from + across.count; at += 1) {
      const column = (at + 2 * columns) % columns;
      const middle = {
        latitude: (row + 0.5) * height - 90,
        longitude: (column + 0.5) * width - 180,
      };
      cells.push(cellOf(middle).slice(0, length));
    }
  }
  return cells;
}

/** Joins consecutive cells into ranges. */
function inRanges(cells: readonly string[]): readonly CellRange[] {
  const ranges: { first: string; last: string }[] = [];
  for (const cell of [...cells].sort()) {
    const range = ranges.at(-1);
    if (range !== undefined && isNext(range.last, cell)) range.last = cell;
    else ranges.push({ first: cell, last: cell });
  }
  return ranges;
}

function isNext(a: string, b: string): boolean {
  const isSameCell = a.slice(0, -1) === b.slice(0, -1);
  return isSameCell && digits.indexOf(a.slice(-1)) + 1 === digits.indexOf(b.slice(-1));
}
