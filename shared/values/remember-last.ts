/** Returns `read` with a cache of its last result: neighbouring inputs are mostly equal. */
export function rememberLast<Input, Output>(
  read: (input: Input) => Output,
): (input: Input) => Output {
  let last: { readonly input: Input; readonly output: Output } | undefined;
  return (input) => {
    if (last?.input !== input) last = { input, output: read(input) };
    return last.output;
  };
}
