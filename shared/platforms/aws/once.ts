/** Returns a function that calls `act` the first time, and returns the same result each time. */
export function once<Result>(act: () => Promise<Result>): () => Promise<Result> {
  let acted: Promise<Result> | undefined;
  return () => {
    acted ??= act();
    return acted;
  };
}
