/** A statement of a policy. A resource is `<logical id>` or `<logical id>/…`. */
export interface Statement {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** Keys of the partitions to which it is limited. */
  readonly partitions?: readonly string[];
}

interface Asked {
  readonly action: string;
  readonly resource: string;
  /** Of an item that is put. */
  readonly partition?: string;
}

/** Checks whether statements allow an action on a resource; `*` in them matches anything. */
export function isGranted(
  statements: readonly Statement[],
  { action, resource, partition = '' }: Asked,
): boolean {
  const fits = (pattern: string, text: string) =>
    pattern === text ||
    (pattern.includes('*') &&
      new RegExp(`^${pattern.split('*').map(literal).join('.*')}$`).test(text));
  return statements.some(
    ({ actions, resources, partitions = ['*'] }) =>
      actions.some((each) => fits(each, action)) &&
      resources.some((each) => fits(each, resource)) &&
      partitions.some((each) => fits(each, partition)),
  );
}

function literal(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
}
