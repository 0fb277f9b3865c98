import { pushProviders } from '../push/rules/provider.ts';
import type { Key, Stored } from '../store/store.ts';
import { instanceIn } from './data-ids.ts';
import { idIn, ofInstance, ofOwn } from './key-parts.ts';
import type { KindFacts } from './kind.ts';
import { factsOf, kinds } from './kinds.ts';

/*
 * The partitions that are deleted with a class, with an instance, or with an item, and those that backups contain. They
 * follow from the declarations of kinds; where the key of a partition contains more than its declaration says, the calls
 * here do not compile.
 */

type AnyKind = (typeof kinds)[number];
type OwnedBy<Owner> = Extract<AnyKind, { readonly facts: { readonly belongsTo: Owner } }>;
type ClearedWith<What> = Extract<AnyKind, { readonly facts: { readonly clearedWith: What } }>;
type ClearedWithOwner<Owner> = Exclude<OwnedBy<Owner>, ClearedWith<unknown>>;

function clearedWith<const What extends KindFacts<never>['clearedWith']>(what: What) {
  return (kind: AnyKind): kind is ClearedWith<What> => {
    const facts: KindFacts<never> = kind.facts;
    return facts.clearedWith === what;
  };
}

function clearedWithOwner<const Owner extends KindFacts<never>['belongsTo']>(...owners: Owner[]) {
  return (kind: AnyKind): kind is ClearedWithOwner<Owner> => {
    const { belongsTo, clearedWith: other }: KindFacts<never> = kind.facts;
    return other === undefined && owners.some((owner) => owner === belongsTo);
  };
}

const withContents = kinds.filter(clearedWithOwner('contents', 'derived'));
const withInstance = kinds.filter(clearedWithOwner('instance'));
const perClass = kinds.filter(clearedWith('class'));
const onePerClass = kinds.filter(clearedWith('class item'));
const perProvider = kinds.filter(clearedWith('provider'));

function isOfBackups({ facts }: AnyKind): boolean {
  return facts.belongsTo === 'contents';
}

/** Returns the partitions that belong to a class. */
export function classPartitions(instance: number, classNumber: number): readonly string[] {
  return perClass.map(({ partition }) => partition(instance, classNumber));
}

/** Returns the items of a class in the main partition that have its number. */
export function classItems(instance: number, classNumber: number): readonly Key[] {
  return onePerClass.map(({ key }) => key(instance, classNumber));
}

/**
 * Returns the partitions of the contents under a data id, the main one last.
 *
 * @param lastClass the highest class number that the instance ever used
 */
export function contentPartitions(instance: number, lastClass: number): readonly string[] {
  const classes = Array.from({ length: lastClass }, (_, n) => classPartitions(instance, n + 1));
  return mainLast(ofInstance(instance), [
    ...classes.flat(),
    ...withContents.map(({ partition }) => partition(instance)),
    ...pushProviders.flatMap((provider) =>
      perProvider.map(({ partition }) => partition(instance, provider)),
    ),
  ]);
}

/** Returns the partitions that belong to an instance itself, whatever its data id is, its main one last. */
export function ownPartitions(instance: number): readonly string[] {
  return mainLast(
    ofOwn(instance),
    withInstance.map(({ partition }) => partition(instance)),
  );
}

function mainLast(main: string, partitions: readonly string[]): readonly string[] {
  return [...new Set(partitions.filter((each) => each !== main)), main];
}

/**
 * Returns the partitions of an archive, the main one first, classes last: an object that is created while they are read
 * has its owner and its class.
 */
export function archivedPartitions(data: number, classes: readonly number[]): readonly string[] {
  return [
    ...new Set([
      ofInstance(data),
      ...withContents.filter(isOfBackups).map(({ partition }) => partition(data)),
      ...pushProviders.flatMap((provider) =>
        perProvider.filter(isOfBackups).map(({ partition }) => partition(data, provider)),
      ),
      ...classes.flatMap((number) =>
        perClass.filter(isOfBackups).map(({ partition }) => partition(data, number)),
      ),
    ]),
  ];
}

/** Checks whether an item of an archived partition is in archives. */
export function isArchived(item: Pick<Stored, 'kind' | 'key'>): boolean {
  return !isOwn(item) && factsOf(item.kind)?.belongsTo !== 'derived';
}

/** Checks whether an item of a main partition belongs to the instance itself, and not to its contents. */
export function isOwn({ kind, key }: Pick<Stored, 'kind' | 'key'>): boolean {
  return withInstance.some((own) => own.kind === kind && key.sk.startsWith(own.prefix));
}

/** Returns the partition of an item's dependents, which ends with it: a group's members, or the runs of something. */
export function partitionBelow({ kind, key }: Stored): string | undefined {
  return factsOf(kind)?.below?.(instanceIn(key), idIn(key));
}
