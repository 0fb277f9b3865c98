import type { Loading } from '../core/load.ts';
import { attempt } from '../core/notices.ts';

interface DeleteButtonProps<Data> {
  /** The record that would be deleted. */
  readonly of: Loading<Data>;
  readonly verb?: string;
  /** Receives the record as the server has shown it. */
  readonly onDelete: (data: Data) => Promise<unknown>;
}

/** Deletes what is shown: it appears when the server has shown it. */
export function DeleteButton<Data>({ of, verb = 'Delete…', onDelete }: DeleteButtonProps<Data>) {
  const { data } = of;
  if (data === undefined) return null;
  return (
    <button type="button" class="danger" onClick={() => attempt(() => onDelete(data))}>
      {verb}
    </button>
  );
}
