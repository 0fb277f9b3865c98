/** A sample: the name of its line, its labels, and its value. */
export interface PrometheusSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric as its text describes it. */
export interface PrometheusMetric {
  readonly help: string;
  readonly type: string;
  readonly samples: PrometheusSample[];
}

const samplePattern = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?[\d.e+-]+|[+-]Inf|NaN)$/;
const labelPattern = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;

/**
 * Reads metrics in the text format of Prometheus, version 0.0.4, more strictly than Prometheus does: each has a help, a
 * type and its samples in one block, and no sample comes twice.
 *
 * @throws Error for a text that is not of the format, and for histograms that are none
 */
export function readPrometheusText(text: string): ReadonlyMap<string, PrometheusMetric> {
  if (!text.endsWith('\n') || text.endsWith('\n\n')) throw new Error('the last line has no end');
  const metrics = new Map<string, PrometheusMetric>();
  for (const block of text.slice(0, -1).split('\n\n')) {
    const [name, metric] = readMetric(block.split('\n'));
    if (metrics.has(name)) throw new Error(`${name} comes twice`);
    metrics.set(name, metric);
  }
  return metrics;
}

function readMetric([first = '', second = '', ...lines]: readonly string[]) {
  const [, name, help] = /^# HELP (\S+) (.+)$/.exec(first) ?? [];
  const [, typed, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(second) ?? [];
  if (name === undefined || help === undefined || type === undefined || name !== typed) {
    throw new Error(`no help or no type: ${first}`);
  }
  const metric: PrometheusMetric = { help, type, samples: lines.map(readSample) };
  const ids = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
  if (new Set(ids).size < ids.length) throw new Error(`a sample of ${name} comes twice`);
  const endings = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  const names = endings.map((ending) => name + ending);
  const foreign = metric.samples.find((sample) => !names.includes(sample.name));
  if (foreign !== undefined) throw new Error(`${foreign.name} is no sample of ${name}`);
  if (type === 'histogram') checkHistogram(name, metric);
  return [name, metric] as const;
}

function readSample(line: string): PrometheusSample {
  const [, name, labelText = '', value] = samplePattern.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  labelPattern.lastIndex = 0;
  while (labelPattern.lastIndex < labelText.length) {
    const [, label, text] = labelPattern.exec(labelText) ?? [];
    if (label === undefined || text === undefined) throw new Error(`no labels: ${line}`);
    if (label in labels) throw new Error(`a label comes twice: ${line}`);
    labels[label] = text.replace(/\\(.)/g, (_, char) => (char === 'n' ? '\n' : char));
  }
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}

function checkHistogram(name: string, { samples }: PrometheusMetric): void {
  const groups = new Map<string, PrometheusSample[]>();
  for (const sample of samples) {
    const { le: _, ...own } = sample.labels;
    const key = JSON.stringify(own);
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const [key, group] of groups) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')));
    const counts = buckets.map(({ value }) => value);
    const total = group.find((sample) => sample.name === `${name}_count`)?.value;
    const rises = (values: readonly number[]) =>
      values.every((value, at) => at === 0 || value >= (values[at - 1] ?? 0));
    const isWhole = bounds.at(-1) === Infinity && counts.at(-1) === total;
    const hasSum = group.some((sample) => sample.name === `${name}_sum`);
    if (!isWhole || !hasSum || !rises(bounds) || !rises(counts)) throw new Error(`${name}${key}`);
  }
}
