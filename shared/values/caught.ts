/* What a caught value says of itself; anything can be thrown. */

/** Returns the stack of an error, for the log. */
export function causeOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Returns the message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the name of an error, such as `AbortError`. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** Returns the code of a failed system call, such as `ENOENT`, or undefined. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
