import { isJsonObject, type Json } from '../json.ts';

/** A point on the earth, in degrees. */
export interface Point {
  readonly longitude: number;
  readonly latitude: number;
}

const earthRadiusKm = 6371.0088; // its mean: the earth is taken for a sphere

/** The point that a stored value is; undefined when it is none. */
export function toPoint(value: Json | undefined): Point | undefined {
  if (!isJsonObject(value)) return undefined;
  const { longitude, latitude } = value;
  return typeof longitude === 'number' && typeof latitude === 'number'
    ? { longitude, latitude }
    : undefined;
}

/** The distance along the great circle between two points, in kilometers (haversine). */
export function distanceKm(a: Point, b: Point): number {
  const height = half(b.latitude - a.latitude);
  const width = half(b.longitude - a.longitude);
  const square =
    height * height + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * width * width;
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(square)));
}

function half(degrees: number): number {
  return Math.sin(radians(degrees) / 2);
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
