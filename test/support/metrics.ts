import type { Template } from 'aws-cdk-lib/assertions';
import { textOf } from './template.ts';

/** A metric as CloudWatch identifies it. */
export interface MetricId {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

// biome-ignore lint/suspicious/noExplicitAny: templates and lines are looked into by code that knows their shape
type Any = any;

/** An alarm of a template: its own name in the stack, its properties, and what it reads. */
export interface TemplateAlarm {
  readonly name: string;
  readonly properties: Any;
  readonly metrics: readonly MetricId[];
  /** A query instead of metrics: it finds the metrics of a table and of its indexes. */
  readonly query?: string;
}

/** Returns all alarms of a template. */
export function alarmsOf(template: Template): readonly TemplateAlarm[] {
  return Object.entries(template.findResources('AWS::CloudWatch::Alarm')).map(
    ([id, { Properties: properties }]: [string, Any]) => {
      const parts: Any[] = properties.Metrics ?? [];
      const queries = parts.flatMap(({ Expression }) => Expression ?? []).map(textOf);
      const query = queries.find((text) => text.startsWith('SELECT'));
      const read = [...(properties.MetricName ? [properties] : []), ...parts.flatMap(statOf)];
      return {
        name: id.replace(/^ObservabilityAlarms(\w+)[0-9A-F]{8}$/, '$1'),
        properties,
        metrics: read.map(toId),
        ...(query !== undefined && { query }),
      };
    },
  );
}

function statOf({ MetricStat }: Any): readonly Any[] {
  return MetricStat === undefined ? [] : [MetricStat.Metric];
}

function toId({ Namespace, MetricName, Dimensions = [] }: Any): MetricId {
  const dimensions = Dimensions.map(({ Name, Value }: Any) => [Name, textOf(Value)]);
  return { namespace: Namespace, name: MetricName, dimensions: Object.fromEntries(dimensions) };
}

/** Returns the metrics that CloudWatch extracts from the lines of a function: embedded ones, and those of its filters. */
export function metricsIn(
  template: Template,
  logGroup: string,
  lines: readonly string[],
): readonly MetricId[] {
  const filters = Object.values(template.findResources('AWS::Logs::MetricFilter'))
    .map(({ Properties }: Any) => Properties)
    .filter(({ LogGroupName }) => textOf(LogGroupName) === logGroup);
  return lines.flatMap((text) => {
    const line = JSON.parse(text);
    const matching = filters.filter(({ FilterPattern }) => isMatch(FilterPattern, line));
    const counted = matching.flatMap(({ MetricTransformations }) =>
      MetricTransformations.map(({ MetricNamespace: namespace, MetricName: name }: Any) => ({
        namespace,
        name,
        dimensions: {},
      })),
    );
    return [...embedded(line), ...counted];
  });
}

/** Reads the embedded metric format; a metric needs a value, and each of its dimensions too. */
function embedded({ _aws: directive, ...line }: Any): readonly MetricId[] {
  const sets: Any[] = directive?.CloudWatchMetrics ?? [];
  return sets.flatMap(({ Namespace: namespace, Dimensions: sets, Metrics }) =>
    Metrics.flatMap(({ Name: name }: Any) =>
      sets.map((names: string[]): MetricId => {
        if (typeof line[name] !== 'number') throw new Error(`no value of ${name}`);
        const dimensions = names.map((each) => {
          if (typeof line[each] !== 'string') throw new Error(`no value of ${each}`);
          return [each, line[each]];
        });
        return { namespace, name, dimensions: Object.fromEntries(dimensions) };
      }),
    ),
  );
}

/** Evaluates the patterns of the stack: one member that has a value, or any (`*`). */
function isMatch(pattern: string, line: Any): boolean {
  const [, member = '', wanted] = /^\{ \$\.(\w+) = "([^"]*)" \}$/.exec(pattern) ?? [];
  if (wanted === undefined) throw new Error(`unknown pattern ${pattern}`);
  return wanted === '*' ? line[member] !== undefined : line[member] === wanted;
}
