/** A function that calls `act` when it is first called, and gives the same result each time. */
export function once<Result>(act: () => Promise<Result>): () => Promise<Result> {
  let acted: Promise<Result> | undefined;
  return () => {
    acted ??= act();
    return acted;
  };
}
