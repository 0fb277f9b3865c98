/** Why and since when an operator has stopped an instance (docs/reference/instances.md#suspended). */
export interface SuspensionData {
  readonly instance: number;
  /** For operators; absent without one. */
  readonly reason?: string;
  readonly suspended_at: string;
}
