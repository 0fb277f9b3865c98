/* What a caught value says of itself; anything can be thrown. */

/** Returns the stack of an error, for the log. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The service outside of this process that an error came from, and its action: `SNS`, `Publish`. */
export interface Origin {
  readonly service: string;
  readonly action: string;
}

const origins = new WeakMap<object, Origin>();

/** Records where an error came from, for the log. Returns the error. */
export function withOrigin<Failure>(error: Failure, origin: Origin | undefined): Failure {
  if (origin !== undefined && error instanceof Error) origins.set(error, origin);
  return error;
}

/** Returns where an error, or the cause of it, came from. */
export function originOf(error: unknown): Origin | undefined {
  if (!(error instanceof Error)) return undefined;
  return origins.get(error) ?? originOf(error.cause);
}

/** Returns the fields of a log line about an error: its stack, and where it came from, if from outside. */
export function faultOf(error: unknown): { readonly cause: string } & Partial<Origin> {
  return { ...originOf(error), cause: stackOf(error) };
}

/** Returns the message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the name of an error, such as `AbortError`. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** Returns the code of a failed system call, such as `ENOENT`, or undefined. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
