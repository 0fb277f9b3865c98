/** A line of bars over time. */
export interface Series {
  readonly name: string;
  /** One value for each time; null where there is none. */
  readonly values: readonly (number | null)[];
  /** CSS variable with the colour. */
  readonly color: '--accent' | '--bad' | '--good';
}
