import uPlot from 'uplot';
import { formatDay, formatMinute, formatNumber, formatTick } from '../core/format.ts';
import type { Series } from './chart-series.ts';

interface Plot {
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly height: number;
  readonly isDaily: boolean;
}

/** Steps of an axis of counts. */
const wholeSteps = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
);

/** Draws bars into an element. */
export function plot(target: HTMLElement, { times, series, height, isDaily }: Plot): uPlot {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => resolve(target, style.getPropertyValue(name));
  const grid = { stroke: color('--line'), width: 1 };
  const axis = { stroke: color('--soft'), grid, ticks: grid };
  const ticks = (_: uPlot, all: number[]) => all.map((each) => formatTick(each * 1000, isDaily));
  const numbers = (_: uPlot, all: number[]) => all.map(formatNumber);
  const moment = (_: uPlot, time: number) => (isDaily ? formatDay : formatMinute)(time * 1000);
  // without a cursor the legend has the last bar
  const setLegend = (chart: uPlot) => {
    if (chart.legend.idx == null) chart.setLegend({ idx: times.length - 1 }, false);
  };
  const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
  return new uPlot(
    {
      width: target.clientWidth,
      height,
      legend: { live: true },
      hooks: { init: [setLegend], setLegend: [setLegend] },
      cursor: { drag: { x: false, y: false } },
      scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
      tzDate: (time) =>
        isDaily ? uPlot.tzDate(new Date(time * 1000), 'Etc/UTC') : new Date(time * 1000),
      axes: [
        { ...axis, values: ticks, space: 72 },
        { ...axis, values: numbers, size: 60, incrs: wholeSteps },
      ],
      series: [
        { value: moment },
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
