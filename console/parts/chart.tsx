import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import type { Series } from './chart-series.ts';

interface ChartProps {
  /** What is shown, for screen readers. */
  readonly label: string;
  /** Epoch seconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** The times are days of UTC. */
  readonly isDaily: boolean;
}

const height = 180;

/** Bars over time. The chart's code is loaded when the first one is shown. */
export function Chart({ label, times, series, isDaily }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isBroken, setBroken] = useState(false);
  const shown = JSON.stringify([times, series]);
  useEffect(() => {
    const target = box.current;
    if (target === null) return undefined;
    let chart: uPlot | undefined;
    let isGone = false;
    const resize = new ResizeObserver(() => chart?.setSize({ width: target.clientWidth, height }));
    import('./chart-plot.ts').then(
      ({ plot }) => {
        if (isGone) return;
        chart = plot(target, { times, series, height, isDaily });
        resize.observe(target);
      },
      () => setBroken(true),
    );
    return () => {
      isGone = true;
      resize.disconnect();
      chart?.destroy();
    };
  }, [shown]);
  return (
    <figure class="chart">
      <figcaption>{label}</figcaption>
      <div ref={box} aria-hidden="true" />
      {isBroken && <p class="soft">The chart could not be loaded.</p>}
    </figure>
  );
}
