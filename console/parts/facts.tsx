import type { ComponentChildren } from 'preact';

interface FactsProps {
  readonly rows: readonly (readonly [name: string, value: ComponentChildren])[];
}

/** Names with their values. */
export function Facts({ rows }: FactsProps) {
  return (
    <dl class="facts">
      {rows.flatMap(([name, value]) => [
        <dt key={`${name}:`}>{name}</dt>,
        <dd key={name}>{value}</dd>,
      ])}
    </dl>
  );
}
