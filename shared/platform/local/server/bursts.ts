/** Most responses that are sent together, so that none waits for many slow ones. */
const mostTogether = 8;

/**
 * Creates a function whose promises resolve together: at the end of a turn of the event loop, or when a few callers wait.
 * A response that is sent wakes its client. With one process on the other end, or one core for all, each response of a
 * turn would wake it again: 32 clients that get an object cost 115 us of CPU time per request, together 71.
 */
export function createBursts(): () => Promise<void> {
  let waiting = 0;
  let burst: { readonly done: Promise<void>; readonly begin: () => void } | undefined;
  return () => {
    burst ??= openBurst(() => {
      burst = undefined;
      waiting = 0;
    });
    const { done, begin } = burst;
    waiting += 1;
    if (waiting === mostTogether) begin();
    return done;
  };
}

function openBurst(onBegin: () => void) {
  let begin = () => {};
  const done = new Promise<void>((resolve) => {
    const immediate = setImmediate(() => begin());
    begin = () => {
      clearImmediate(immediate);
      onBegin();
      resolve();
    };
  });
  return { done, begin };
}
