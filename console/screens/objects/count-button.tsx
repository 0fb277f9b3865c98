import { useState } from 'preact/hooks';
import { type ApiPage, send } from '../../core/api.ts';
import { counted } from '../../core/format.ts';
import { Button } from '../../parts/button.tsx';
import { type ClassReference, objectsPath } from './object-data.ts';

interface CountButtonProps {
  readonly ofClass: ClassReference;
  readonly query: string | undefined;
}

const maxExact = 1000; // docs/reference/queries.md#count

/** Counts the objects that match, when asked: a count may take long. */
export function CountButton({ ofClass, query }: CountButtonProps) {
  const [count, setCount] = useState<number>();
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      const page = await send<ApiPage<unknown>>({
        method: 'GET',
        path: objectsPath(ofClass),
        query: { query, include_count: true, page_size: 0 },
      });
      setCount(page.objects_count);
    } finally {
      setBusy(false);
    }
  };
  return (
    <span class="count">
      <Button class="small" disabled={isBusy} onAct={run} text={isBusy ? 'Counting…' : 'Count'} />{' '}
      <span role="status">{count !== undefined && inWords(count)}</span>
    </span>
  );
}

function inWords(count: number): string {
  return `${count > maxExact ? 'About ' : ''}${counted(count, 'object')}`;
}
