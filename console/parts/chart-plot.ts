import uPlot from 'uplot';
import type { Series } from './chart-series.ts';

interface Plot {
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly height: number;
}

/** Draws bars into an element. */
export function plot(target: HTMLElement, { times, series, height }: Plot): uPlot {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => resolve(target, style.getPropertyValue(name));
  const grid = { stroke: color('--line'), width: 1 };
  const axis = { stroke: color('--soft'), grid, ticks: grid };
  const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
  return new uPlot(
    {
      width: target.clientWidth,
      height,
      legend: { live: true },
      cursor: { drag: { x: false, y: false } },
      scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
      axes: [axis, { ...axis, size: 60 }],
      series: [
        { label: 'Time' },
        ...series.map(({ name, color: variable }) => ({
          label: name,
          stroke: color(variable),
          fill: color(variable),
          ...(bars && { paths: bars }),
          points: { show: false },
        })),
      ],
    },
    [[...times], ...series.map(({ values }) => [...values])],
    target,
  );
}

/** Returns a colour as a canvas reads it: variables use `light-dark()`. */
function resolve(target: HTMLElement, value: string): string {
  target.style.color = value;
  const { color } = getComputedStyle(target);
  target.style.color = '';
  return color;
}
