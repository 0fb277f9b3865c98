import type { Key, Stored } from '../store/store.ts';
import { accountKinds } from './entities/accounts.ts';
import { channelKinds } from './entities/channels.ts';
import { classKinds } from './entities/classes.ts';
import { deploymentKinds } from './entities/deployment.ts';
import { endpointKinds } from './entities/endpoints.ts';
import { instanceKinds } from './entities/instances.ts';
import { jobKinds } from './entities/jobs.ts';
import { pushKinds } from './entities/push.ts';
import { runKinds } from './entities/runs.ts';
import { scriptKinds } from './entities/scripts.ts';
import { userAccountKinds } from './entities/user-accounts.ts';
import { userKinds } from './entities/users.ts';
import type { DeclaredKind } from './kind.ts';

/**
 * All kinds of items. Jobs store how many partitions of an instance they have processed, so the order of kinds must not
 * change; a new kind may be anywhere.
 */
export const kinds = [
  ...deploymentKinds,
  ...accountKinds,
  ...instanceKinds,
  ...classKinds,
  ...endpointKinds,
  ...userKinds,
  ...runKinds,
  ...channelKinds,
  ...scriptKinds,
  ...jobKinds,
  ...pushKinds,
  ...userAccountKinds,
] as const;

const byName: ReadonlyMap<string, DeclaredKind> = new Map(kinds.map((each) => [each.kind, each]));

/** Returns what is declared of a kind by its name. Kinds that share a name differ in nothing but their owner. */
export function factsOf(kind: string): DeclaredKind['facts'] | undefined {
  return byName.get(kind)?.facts;
}

/** Returns the counters of a kind. */
export function countersOf({ facts }: DeclaredKind): readonly string[] {
  return facts.counter === undefined ? [] : [facts.counter].flat();
}

/** Names of the kinds whose items name files. */
export const kindsWithFiles: readonly string[] = kinds
  .filter(({ facts }: DeclaredKind) => facts.namedFile)
  .map(({ kind }) => kind);

/** Returns the key of the file that an item names. */
export function fileNamedBy({
  kind,
  key,
  data,
}: Pick<Stored, 'kind' | 'data'> & { readonly key: Pick<Key, 'sk'> }): string | undefined {
  return factsOf(kind)?.namedFile?.(key.sk, data as never); // the data of this kind
}
