import type { ClassFieldType } from '../../classes/rules/field-types.ts';
import type { Condition } from './conditions.ts';
import type { QueryField } from './fields.ts';
import { cellsAround } from './geo/cells.ts';
import type { Scalar } from './operands.ts';
import type { IndexPath, Path, RangeBound } from './paths.ts';
import { patternPrefix } from './text-match.ts';

/** Maximum number of values that are looked up in parallel in an index; with more, objects are filtered. */
const maxPoints = 25;

/** Access path for the conditions on one field, with its estimated cost: the fewer matching objects, the lower. */
export interface Choice {
  readonly field: QueryField;
  readonly path: Path;
  readonly cost: number;
}

/** Estimated costs of access paths, without unit. */
export const costs = {
  one: 1,
  points: 2,
  cells: 3,
  closed: 4,
  prefix: 4,
  open: 5,
  unset: 6,
  set: 7,
} as const;

/** Returns the access paths for conditions, the best one first; one for each field. */
export function choicesOf(conditions: readonly Condition[]): readonly Choice[] {
  const byField = new Map<string, Condition[]>();
  for (const condition of conditions) {
    const others = byField.get(condition.field.name);
    if (others === undefined) byField.set(condition.field.name, [condition]);
    else others.push(condition);
  }
  return [...byField.values()]
    .flatMap((ofField) => choiceOf(ofField) ?? [])
    .sort((a, b) => a.cost - b.cost);
}

/** Returns the best access path, except one that excludes only unset values. */
export function bestOf([best]: readonly Choice[]): Choice | undefined {
  return best === undefined || best.cost === costs.set ? undefined : best;
}

/** Returns the access path for the conditions on one field. */
function choiceOf(conditions: readonly Condition[]): Choice | undefined {
  const field = conditions[0]?.field;
  if (field === undefined) return undefined;
  const points = pointsOf(conditions);
  if (points !== undefined) return pointsChoice(field, points);
  const path = fieldIndex(field);
  return path && (cellsChoice(field, conditions) ?? rangeOf(field, path, conditions));
}

function cellsChoice(field: QueryField, conditions: readonly Condition[]): Choice | undefined {
  const { slot } = field;
  if (slot === undefined) return undefined;
  for (const condition of conditions) {
    if (condition.kind !== 'near') continue;
    const cells = cellsAround(condition.circle, condition.circle.kilometers);
    if (cells !== undefined)
      return { field, path: { kind: 'cells', slot, cells }, cost: costs.cells };
  }
  return undefined;
}

function pointsChoice(field: QueryField, points: readonly Scalar[]): Choice | undefined {
  if (field.system === 'id') {
    return { field, path: { kind: 'ids', ids: points.map(Number) }, cost: 0 };
  }
  if (points.length > maxPoints) return undefined;
  const cost = field.isUnique ? costs.one : costs.points + points.length / 100;
  if (field.system === 'owner') {
    return { field, path: { kind: 'owned', owners: points.map(Number) }, cost };
  }
  const path = fieldIndex(field);
  if (path === undefined) return undefined;
  const { kind, index, type, limits } = path;
  return { field, path: { kind, index, type, points, limits }, cost };
}

/** Returns the values of which a field must have one; undefined when conditions do not list any. */
function pointsOf(conditions: readonly Condition[]): readonly Scalar[] | undefined {
  const lists = conditions.flatMap((condition) => {
    if (condition.kind === 'compare' && condition.comparison === 'eq') return [[condition.value]];
    return condition.kind === 'among' && !condition.isNegated ? [condition.values] : [];
  });
  const [shortest] = lists.sort((a, b) => a.length - b.length);
  return shortest && [...new Set(shortest)];
}

function rangeOf(
  field: QueryField,
  path: IndexPath,
  conditions: readonly Condition[],
): Choice | undefined {
  if (conditions.some((one) => one.kind === 'exists' && !one.isSet)) {
    return { field, path: { ...path, points: [null] }, cost: costs.unset };
  }
  const limits = conditions.flatMap((condition) => limitOf(condition) ?? []);
  if (limits.length === 0) return undefined;
  return { field, path: { ...path, limits }, cost: rangeCost(limits) };
}

function rangeCost(limits: readonly RangeBound[]): number {
  const kinds = new Set(limits.map(({ kind }) => kind));
  if (kinds.has('prefix')) return costs.prefix;
  const hasLower = kinds.has('above') || kinds.has('from');
  const hasUpper = kinds.has('below') || kinds.has('upTo');
  if (hasLower && hasUpper) return costs.closed;
  return hasLower || hasUpper ? costs.open : costs.set;
}

const limitKinds = { gt: 'above', gte: 'from', lt: 'below', lte: 'upTo' } as const;

/** Returns the bound that a condition sets for its field; a weaker one than the condition is correct, too. */
function limitOf(condition: Condition): RangeBound | undefined {
  switch (condition.kind) {
    case 'compare': {
      const { comparison, value } = condition;
      if (comparison === 'eq' || comparison === 'neq') return undefined;
      return { kind: limitKinds[comparison], value };
    }
    case 'exists':
      return condition.isSet ? { kind: 'set' } : undefined;
    case 'text': {
      if (condition.ignoresCase) return { kind: 'set' };
      const prefix = prefixOf(condition.lookup, condition.text);
      return prefix === '' ? { kind: 'set' } : { kind: 'prefix', value: prefix };
    }
    case 'among':
    case 'holds':
    case 'meets':
    case 'near':
      return undefined;
  }
}

function prefixOf(lookup: string, text: string): string {
  if (lookup === 'startswith') return text;
  return lookup === 'like' ? patternPrefix(text) : '';
}

/** Returns the index of a field; undefined without one. */
export function fieldIndex({ system, slot, type }: QueryField): IndexPath | undefined {
  const index = system === 'updated_at' ? 'updated' : slot;
  if (index === undefined) return undefined;
  // channels and their rooms have no index
  return { kind: 'index', index, type: type as ClassFieldType, limits: [] };
}
