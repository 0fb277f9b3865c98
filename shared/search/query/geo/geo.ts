import { isJsonObject, type Json } from '../../../values/json/json.ts';

/** Point on the earth, in degrees. */
export interface Point {
  readonly longitude: number;
  readonly latitude: number;
}

const earthRadiusKm = 6371.0088; // the mean: the earth is taken for a sphere

/** Returns the point of a stored value; undefined if it is not a point. */
export function toPoint(value: Json | undefined): Point | undefined {
  if (!isJsonObject(value)) return undefined;
  const { longitude, latitude } = value;
  return typeof longitude === 'number' && typeof latitude === 'number'
    ? { longitude, latitude }
    : undefined;
}

/** Returns the great-circle distance between two points, in kilometers (haversine). */
export function distanceKm(a: Point, b: Point): number {
  const height = half(b.latitude - a.latitude);
  const width = half(b.longitude - a.longitude);
  const square =
    height * height + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * width * width;
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(square)));
}

/** Returns the central angle of a distance on the earth, in radians. */
export function angleOf(kilometers: number): number {
  return kilometers / earthRadiusKm;
}

/** Converts radians to degrees. */
export function degrees(angle: number): number {
  return (angle * 180) / Math.PI;
}

function half(angle: number): number {
  return Math.sin(radians(angle) / 2);
}

/** Converts degrees to radians. */
export function radians(angle: number): number {
  return (angle * Math.PI) / 180;
}
