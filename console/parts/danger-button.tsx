import type { LoadState } from '../core/load.ts';
import { Button } from './button.tsx';

interface DangerButtonProps<Data> {
  /** The record that would be deleted or changed. */
  readonly of: LoadState<Data>;
  readonly verb?: string | undefined;
  /** Receives the record as the server has shown it. */
  readonly onAct: (data: Data) => Promise<unknown>;
}

/** Deletes a record, or resets its key: the button appears when the server has shown the record. */
export function DangerButton<Data>({ of, verb = 'Delete…', onAct }: DangerButtonProps<Data>) {
  const { data } = of;
  if (data === undefined) return null;
  return <Button class="danger" onAct={() => onAct(data)} text={verb} />;
}
