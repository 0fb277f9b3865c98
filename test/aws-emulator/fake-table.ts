import {
  partitionKey,
  sortKey,
  tableAttributes,
  tableIndexes,
} from '../../shared/platforms/aws/store/table.ts';

/*
 * One DynamoDB table in memory: the requests of the store, with their conditions, ranges, indexes and
 * transactions. Indexes are never late, pages as large as requested, and requests never throttled: the store's own
 * tests, on a real emulator, cover these.
 */

// biome-ignore lint/suspicious/noExplicitAny: requests and answers in DynamoDB's JSON
type Any = any;

/** A table that responds to requests. */
export interface FakeTable {
  /**
   * Responds to a request.
   *
   * @throws TableError when a condition does not hold; Error when it does not know the operation
   */
  answer(operation: string, input: Any): Any;
  /** Returns a table with the same items, whose stream is that of the original. */
  copy(): FakeTable;
}

/** An error response of DynamoDB. */
export class TableError extends Error {
  /** The body of the response, whose `__type` names the exception. */
  readonly body: Any;

  constructor(type: string, more: object) {
    super(type);
    this.body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type, ...more };
  }
}

/** One put, delete or check, of a transaction or alone: its name, `Put` and the like, and its parameters. */
export type Part = readonly [name: string, parameters: Any];

/** The parts of a request that writes items; empty for all others, also for one that takes numbers. */
export function writeParts(operation: string, input: Any): readonly Part[] {
  if (operation === 'PutItem') return [['Put', input]];
  if (operation === 'DeleteItem') return [['Delete', input]];
  if (operation !== 'TransactWriteItems') return [];
  return input.TransactItems.flatMap((one: Any) => Object.entries<Any>(one));
}

type Partitions = Map<string, Map<string, Any>>;

/** An item before and after a write; absent where it does not exist. */
export interface Images {
  readonly before?: Any;
  readonly after?: Any;
}

type Stream = (images: Images) => void;

/**
 * Creates an empty table.
 *
 * @param stream receives each item that is put or deleted, like the table's stream
 */
export function createFakeTable(stream: Stream = () => undefined): FakeTable {
  return tableOf(new Map(), stream);
}

function tableOf(partitions: Partitions, stream: Stream): FakeTable {
  const tokens = new Set<string>();
  return {
    answer: (operation, input) => {
      switch (operation) {
        case 'GetItem':
          return { Item: itemAt(partitions, input.Key) };
        case 'BatchGetItem':
          return { Responses: readBatch(partitions, input.RequestItems), UnprocessedKeys: {} };
        case 'Query':
          return query(partitions, input);
        case 'Scan':
          return scan(partitions, input);
        case 'UpdateItem':
          return { Attributes: count(partitions, input) };
        case 'PutItem':
        case 'DeleteItem':
          writeOne(partitions, writeParts(operation, input), stream);
          return {};
        case 'TransactWriteItems':
          if (!tokens.has(input.ClientRequestToken)) {
            writeAll(partitions, writeParts(operation, input), stream);
          }
          tokens.add(input.ClientRequestToken);
          return {};
        default:
          throw new Error(`the table does not know ${operation}`);
      }
    },
    copy: () => tableOf(structuredClone(partitions), stream),
  };
}

function itemAt(partitions: Partitions, key: Any): Any {
  return partitions.get(key[partitionKey].S)?.get(key[sortKey].S);
}

/** Reads all items of some kinds; the first segment has all of them. */
function scan(partitions: Partitions, { Segment, ExpressionAttributeValues }: Any): Any {
  const kinds = Object.values<Any>(ExpressionAttributeValues).map(({ S }) => S);
  const all = [...partitions.values()].flatMap((items) => [...items.values()]);
  const Items = all.filter((item) => kinds.includes(item[tableAttributes.kind].S));
  return Segment === 0 ? { Items, ScannedCount: all.length } : { Items: [], ScannedCount: 0 };
}

function readBatch(partitions: Partitions, requests: Any): Any {
  const found = Object.entries<Any>(requests).map(([table, { Keys }]) => [
    table,
    Keys.map((key: Any) => itemAt(partitions, key)).filter(Boolean),
  ]);
  return Object.fromEntries(found);
}

function writeOne(partitions: Partitions, parts: readonly Part[], stream: Stream): void {
  for (const part of parts) {
    const { isMet, there } = judge(partitions, part);
    if (!isMet) throw new TableError('ConditionalCheckFailedException', { Item: there });
    apply(partitions, part, stream);
  }
}

function writeAll(partitions: Partitions, parts: readonly Part[], stream: Stream): void {
  const reasons = parts.map((part) => {
    const { isMet, there } = judge(partitions, part);
    return isMet ? { Code: 'None' } : { Code: 'ConditionalCheckFailed', Item: there };
  });
  if (reasons.some(({ Code }) => Code !== 'None')) {
    throw new TableError('TransactionCanceledException', { CancellationReasons: reasons });
  }
  for (const part of parts) apply(partitions, part, stream);
}

function judge(partitions: Partitions, [, parameters]: Part): { isMet: boolean; there: Any } {
  const { ConditionExpression, ExpressionAttributeValues, Item, Key } = parameters;
  const there = itemAt(partitions, Item ?? Key);
  if (ConditionExpression === undefined) return { isMet: true, there };
  return { isMet: compile(ConditionExpression, ExpressionAttributeValues)(there ?? {}), there };
}

function apply(partitions: Partitions, [name, { Item, Key }]: Part, stream: Stream): void {
  const before = itemAt(partitions, Item ?? Key);
  if (name === 'Put') put(partitions, Item);
  if (name === 'Delete') partitions.get(Key[partitionKey].S)?.delete(Key[sortKey].S);
  if (name === 'Put') stream({ before, after: Item });
  if (name === 'Delete' && before !== undefined) stream({ before });
}

function put(partitions: Partitions, item: Any): void {
  const pk = item[partitionKey].S;
  const items = partitions.get(pk) ?? new Map();
  partitions.set(pk, items);
  items.set(item[sortKey].S, item);
}

/** Adds to a number, the only update in place. */
function count(partitions: Partitions, input: Any): Any {
  const { Key, UpdateExpression, ConditionExpression: condition } = input;
  const { ExpressionAttributeValues: values } = input;
  const [, kind, kindValue, number, added] =
    /^SET (\w+) = (:\w+) ADD (\w+) (:\w+)$/.exec(UpdateExpression) ?? [];
  if (!(kind && kindValue && number && added)) throw new Error(`unknown: ${UpdateExpression}`);
  const there = itemAt(partitions, Key);
  if (condition !== undefined && !compile(condition, values)(there ?? {})) {
    throw new TableError('ConditionalCheckFailedException', { Item: there });
  }
  const sum = Number(there?.[number]?.N ?? 0) + Number(values[added].N);
  const changed = { [kind]: values[kindValue], [number]: { N: String(sum) } };
  put(partitions, { ...there, ...Key, ...changed });
  return changed;
}

function query(partitions: Partitions, input: Any): Any {
  const { IndexName, Limit, ExclusiveStartKey: start, ScanIndexForward, ConsistentRead } = input;
  const index = tableIndexes.find(({ name }) => name === IndexName);
  if (IndexName !== undefined && (index === undefined || ConsistentRead === true)) {
    throw new TableError('ValidationException', {});
  }
  const attribute = index?.sortKey ?? sortKey;
  const isWanted = compile(input.KeyConditionExpression, input.ExpressionAttributeValues);
  const direction = ScanIndexForward === false ? -1 : 1;
  const order = (a: Any, b: Any) => direction * compare(a[attribute], b[attribute]);
  const pk = input.ExpressionAttributeValues[':pk'].S;
  const found = [...(partitions.get(pk)?.values() ?? [])]
    .filter((item) => item[attribute] !== undefined && isWanted(item))
    .filter((item) => start === undefined || order(item, start) > 0)
    .sort(order);
  const page = found.slice(0, Limit);
  const keyOf = (item: Any) => pick(item, [partitionKey, sortKey, attribute]);
  const last = page.length === Limit ? page.at(-1) : undefined; // also at the end, as DynamoDB does
  return {
    Items: index?.projection === 'KEYS_ONLY' ? page.map(keyOf) : page,
    ...(last && { LastEvaluatedKey: keyOf(last) }),
  };
}

function pick(item: Any, names: readonly string[]): Any {
  return Object.fromEntries(names.map((name) => [name, item[name]]));
}

type Test = (item: Any) => boolean;

/** Returns the order of two values, negative, 0 or positive, that a sign requires. */
const signs: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** Parses a condition: comparisons and the two functions of presence, joined by AND, OR and brackets. */
function compile(expression: string, values: Any): Test {
  const tokens = expression.match(/[()]|[<>=]+|[:\w]+/g) ?? [];
  let at = 0;
  const next = (): string => {
    at += 1;
    return tokens[at - 1] ?? '';
  };
  const joined = (word: string, part: () => Test): Test[] => {
    const parts = [part()];
    while (tokens[at] === word) {
      at += 1;
      parts.push(part());
    }
    return parts;
  };
  const one = (): Test => {
    const word = next();
    if (word === '(' || /^attribute_(not_)?exists$/.test(word)) {
      if (word !== '(') next();
      const inner: Test = word === '(' ? any() : presence(word, next());
      next(); // the closing bracket
      return inner;
    }
    const sign = next();
    const value = values[next()];
    if (sign !== 'BETWEEN') return comparison(word, sign, value);
    next(); // its AND
    const high = values[next()];
    const parts = [comparison(word, '>=', value), comparison(word, '<=', high)];
    return (item) => parts.every((part) => part(item));
  };
  const all = (): Test => {
    const parts = joined('AND', one);
    return (item) => parts.every((part) => part(item));
  };
  const any = (): Test => {
    const parts = joined('OR', all);
    return (item) => parts.some((part) => part(item));
  };
  return any();
}

function presence(word: string, name: string): Test {
  return (item) => (item[name] !== undefined) === (word === 'attribute_exists');
}

function comparison(name: string, sign: string, value: Any): Test {
  const isMet = signs[sign];
  if (isMet === undefined || value === undefined) throw new Error(`unknown: ${name} ${sign}`);
  return (item) => item[name] !== undefined && isMet(compare(item[name], value));
}

/** Compares numbers by size, texts by bytes. */
function compare(a: Any, b: Any): number {
  if (a.N !== undefined) return Number(a.N) - Number(b.N);
  return Buffer.compare(Buffer.from(a.S), Buffer.from(b.S));
}
