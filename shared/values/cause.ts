/** What a line of the log says of a fault: where it came from, as far as it is known. */
export function causeOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
