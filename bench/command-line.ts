/** Runs a program; an error ends the process with its message. */
export async function runBench(program: () => Promise<void> | void): Promise<void> {
  try {
    await program();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

/**
 * Reads the number of an option.
 *
 * @throws Error with the usage when it is out of its range
 */
export function readNumber(
  text: string,
  { least, most, usage }: { readonly least: number; readonly most: number; readonly usage: string },
): number {
  const value = Number(text);
  if (value >= least && value <= most) return value;
  throw new Error(usage);
}
