import type { ComponentChildren } from 'preact';
import type { LoadState } from '../core/load.ts';
import { Button } from './button.tsx';

interface LoadedProps<Data> {
  readonly of: LoadState<Data>;
  readonly children: (data: Data) => ComponentChildren;
}

/** Shows loaded data; before, that it is loading; and the problem with a button to try again. */
export function LoadedData<Data>({ of: loading, children }: LoadedProps<Data>) {
  const { data, problem, isLoading, reload } = loading;
  return (
    <>
      {problem &&
        (problem.status === 403 ? (
          <p class="soft">{problem.message}</p>
        ) : (
          <Problem message={problem.message} retry={reload} />
        ))}
      {data !== undefined && <div aria-busy={isLoading}>{children(data)}</div>}
      {data === undefined && isLoading && <Skeleton />}
    </>
  );
}

/** Outlines of what is being loaded. */
export function Skeleton() {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      <span />
      <span />
      <span />
    </div>
  );
}

interface ProblemProps {
  readonly message: string;
  readonly retry?: () => void;
}

/** Shows why something failed. */
export function Problem({ message, retry }: ProblemProps) {
  return (
    <div class="problem" role="alert">
      <p>{message}</p>
      {retry !== undefined && <Button onAct={retry} text="Try again" />}
    </div>
  );
}

/** Shows that a list has no items, and what to do about it. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}
