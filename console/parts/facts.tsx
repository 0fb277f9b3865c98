import type { ComponentChildren } from 'preact';

/** A name with its value. */
export type Fact = readonly [name: string, value: ComponentChildren];

interface FactsProps {
  readonly rows: readonly Fact[];
}

/** Names with their values. */
export function Facts({ rows }: FactsProps) {
  return (
    <dl class="facts">
      {rows.flatMap(([name, value], index) => [
        <dt key={`${name} ${index}`}>{name}</dt>,
        <dd key={`${name} ${index} value`}>{value}</dd>,
      ])}
    </dl>
  );
}
