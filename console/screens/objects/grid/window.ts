import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { GridRows } from './rows.ts';

/** Rows that are in the document. */
export interface VisibleRows {
  readonly start: number;
  /** After the last one. */
  readonly end: number;
}

const spareRows = 8; // above and below the view
const step = 4; // rows by which the range moves, so that not each scrolled row renders

/**
 * Returns the rows that a box shows at its scroll position: only they are rendered.
 *
 * @param box scrolls; its rows have the same height
 * @param rowHeight in CSS pixels
 */
export function useRange(
  box: RefObject<HTMLElement | null>,
  { all: { length: count }, offset }: Pick<GridRows, 'all' | 'offset'>,
  rowHeight: number,
): VisibleRows {
  const [range, setRange] = useState<VisibleRows>({ start: 0, end: 40 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    element.scrollTop = offset.current;
    const update = () => {
      offset.current = element.scrollTop;
      const first = Math.floor(element.scrollTop / rowHeight / step) * step;
      const shown = Math.ceil(element.clientHeight / rowHeight);
      const start = Math.max(0, first - spareRows);
      const end = first + shown + step + spareRows;
      setRange((last) => (last.start === start && last.end === end ? last : { start, end }));
    };
    update();
    element.addEventListener('scroll', update, { passive: true });
    const observer = new ResizeObserver(update);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', update);
      observer.disconnect();
    };
  }, [rowHeight]);
  return { start: Math.min(range.start, count), end: Math.min(range.end, count) };
}

const narrow = matchMedia('(max-width: 40rem)');

/** Tells whether the window is so narrow that rows are cards. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const update = () => setNarrow(narrow.matches);
    narrow.addEventListener('change', update);
    return () => narrow.removeEventListener('change', update);
  }, []);
  return isNarrow;
}
