import { isJsonObject, type Json } from '../../../values/json/json.ts';

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

/** The angle, in radians, under which a distance on the earth is seen from its middle. */
export function angleOf(kilometers: number): number {
  return kilometers / earthRadiusKm;
}

/** Turns radians into degrees. */
export function degrees(angle: number): number {
  return (angle * 180) / Math.PI;
}

function half(angle: number): number {
  return Math.sin(radians(angle) / 2);
}

/** Turns degrees into radians. */
export function radians(angle: number): number {
  return (angle * Math.PI) / 180;
}
