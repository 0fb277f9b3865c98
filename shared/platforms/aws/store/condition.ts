import type { WriteCondition } from '../../../store/store.ts';
import type { Item } from './item.ts';
import { partitionKey, tableAttributes, timeToLive } from './table.ts';

/** The conditional part of a request to DynamoDB; empty without condition. */
export interface ConditionPart {
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeValues?: Item;
}

const alive = `(attribute_not_exists(${timeToLive}) OR ${timeToLive} >= :now)`;
const absent = `attribute_not_exists(${partitionKey}) OR ${timeToLive} < :now`;
const present = `attribute_exists(${partitionKey}) AND ${alive}`;
const sameVersion = `${tableAttributes.version} = :version AND ${alive}`;

/**
 * Writes a condition.
 *
 * @param now epoch seconds, whole: an item that expires before counts as absent
 */
export function conditionPart(condition: WriteCondition, now: number): ConditionPart {
  const values: Item = { ':now': { N: String(now) } };
  switch (condition.kind) {
    case 'none':
      return {};
    case 'absent':
      return { ConditionExpression: absent, ExpressionAttributeValues: values };
    case 'present':
      return { ConditionExpression: present, ExpressionAttributeValues: values };
    case 'version':
      values[':version'] = { S: condition.version };
      return { ConditionExpression: sameVersion, ExpressionAttributeValues: values };
  }
}
