import { checkLength, checkPartition } from '../../../store/key-limits.ts';
import type { Bound, Query } from '../../../store/store.ts';
import type { Item } from './item.ts';
import { partitionKey, sortKey, tableIndex } from './table.ts';

/** Start and end of a query, for DynamoDB. */
export interface KeyCondition {
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeValues: Item;
  /** Attribute that is the sort key. */
  readonly attribute: string;
  /** A sort key that the condition includes and the query excludes. */
  readonly skipped?: string;
}

/**
 * Writes the range of a query. DynamoDB accepts one condition on the sort key: a comparison, or BETWEEN, which includes
 * both ends. The successor of an end is exact (no text is between a text and the same text followed by U+0000), but a
 * predecessor does not exist, so that an excluded upper end has to be skipped.
 *
 * @returns undefined when the range is empty
 * @throws Error when a key of the query breaks the limits of keys
 */
export function keyCondition({ pk, index, lower, upper }: Query): KeyCondition | undefined {
  checkPartition(pk);
  if (lower !== undefined) checkLength(pk, lower.key);
  if (upper !== undefined) checkLength(pk, upper.key);
  if (upper?.key === '') return undefined; // no sort key is empty
  const attribute = index === undefined ? sortKey : tableIndex(index).sortKey;
  const low = lower === undefined || lower.key === '' ? undefined : firstKey(lower);
  if (low === undefined) return oneEnded({ pk, attribute, upper });
  if (upper === undefined) {
    return range({ pk, attribute, condition: `${attribute} >= :low`, values: { low } });
  }
  const order = compareBytes(low, upper.key);
  if (order > 0 || (order === 0 && !upper.inclusive)) return undefined;
  const condition = `${attribute} BETWEEN :low AND :high`;
  const both = range({ pk, attribute, condition, values: { low, high: upper.key } });
  return upper.inclusive ? both : { ...both, skipped: upper.key };
}

function firstKey({ key, inclusive }: Bound): string {
  return inclusive ? key : `${key}\u0000`;
}

interface OneEnded {
  readonly pk: string;
  readonly attribute: string;
  readonly upper: Bound | undefined;
}

function oneEnded({ pk, attribute, upper }: OneEnded): KeyCondition {
  if (upper === undefined) return range({ pk, attribute, values: {} });
  const condition = `${attribute} ${upper.inclusive ? '<=' : '<'} :high`;
  return range({ pk, attribute, condition, values: { high: upper.key } });
}

interface RangeParts {
  readonly pk: string;
  readonly attribute: string;
  readonly condition?: string;
  readonly values: { readonly low?: string; readonly high?: string };
}

function range({ pk, attribute, condition, values: { low, high } }: RangeParts): KeyCondition {
  const values: Item = { ':pk': { S: pk } };
  if (low !== undefined) values[':low'] = { S: low };
  if (high !== undefined) values[':high'] = { S: high };
  const partition = `${partitionKey} = :pk`;
  return {
    KeyConditionExpression: condition === undefined ? partition : `${partition} AND ${condition}`,
    ExpressionAttributeValues: values,
    attribute,
  };
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
