import { useEffect, useRef, useState } from 'preact/hooks';
import { PathError, type RequestPath } from '../../shared/values/text/request-path.ts';
import { ApiProblem, readAll, send } from './api.ts';
import type { Parameters } from './request.ts';

/** What is known of data while and after it is loaded. */
export interface LoadState<Data> {
  /** The last data; stays while it is loaded again. */
  readonly data: Data | undefined;
  readonly problem: ApiProblem | undefined;
  readonly isLoading: boolean;
  /** Loads again. */
  readonly reload: () => void;
}

/** Data that are loaded, and can be replaced. */
export interface Loading<Data> extends LoadState<Data> {
  /** Replaces the data with a known state. */
  readonly setData: (data: Data) => void;
}

/**
 * Loads data when a component appears, and again when one of `keys` changes.
 *
 * @param load gets a signal that aborts when its result is not needed any more
 */
export function useLoad<Data>(
  load: (signal: AbortSignal) => Promise<Data>,
  keys: readonly unknown[],
): Loading<Data> {
  const [state, setState] = useState<Pick<Loading<Data>, 'data' | 'problem' | 'isLoading'>>({
    data: undefined,
    problem: undefined,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  const loadedKeys = useRef('');
  useEffect(() => {
    const abort = new AbortController();
    const isSame = loadedKeys.current === JSON.stringify(keys);
    loadedKeys.current = JSON.stringify(keys);
    setState(({ data }) => ({
      data: isSame ? data : undefined,
      problem: undefined,
      isLoading: true,
    }));
    load(abort.signal).then(
      (data) => {
        if (!abort.signal.aborted) setState({ data, problem: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setState(({ data }) => ({ data, problem: toApiProblem(error), isLoading: false }));
      },
    );
    return () => abort.abort();
  }, [...keys, round]);
  return {
    ...state,
    reload: () => setRound((last) => last + 1),
    setData: (data) => setState({ data, problem: undefined, isLoading: false }),
  };
}

/** Loads one record. */
export function useRecord<Data>(path: RequestPath): Loading<Data> {
  return useLoad((signal) => send<Data>({ method: 'GET', path, signal }), [path]);
}

/** Loads a whole list, as `readAll` reads it. */
export function useList<Item>(path: RequestPath, query: Parameters = {}): Loading<Item[]> {
  return useLoad(() => readAll<Item>(path, query), [path]);
}

/** Calls `run` again and again while a component is shown and the tab is visible. */
export function useRepeat(run: () => void, everyMs: number, isOn: boolean): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isOn]);
}

/** Returns what was thrown as a problem that can be shown; a mistake of the console is logged too. */
export function toApiProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  if (error instanceof PathError) return new ApiProblem(0, error.message); // a name of data or of the place
  if (error instanceof DOMException && /^Not(Readable|Found)Error$/.test(error.name)) {
    return changedFile();
  }
  reportError(error);
  return new ApiProblem(0, 'The console made a mistake. The browser console has the details.');
}

/** Returns the problem of a file that cannot be read as it was chosen. */
export function changedFile(): ApiProblem {
  return new ApiProblem(0, 'The file was changed or removed. Choose it again.');
}
