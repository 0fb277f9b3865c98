import { printable, printableLine } from '../../../shared/values/text/printable.ts';

/** Names of the types of classes, by class. */
export type TypeNames = ReadonlyMap<string, string>;

const endings = ['', 'Input', 'Update', 'Query', 'Order'];

/** Types of the language that the file uses, and its own. */
const ownTypes = [
  ...['AsyncGenerator', 'NonNullable', 'Omit', 'Pick', 'Readonly', 'Record'],
  ...['Database', 'InstanceNames', 'UserQuery'],
];

/**
 * Names the types of classes: `blog_post` is `BlogPost`, with a number where a name is taken.
 *
 * @param taken names that the file has already
 */
export function nameTypes(classNames: readonly string[], taken: ReadonlySet<string>): TypeNames {
  const used = new Set([...taken, ...ownTypes, ...Object.getOwnPropertyNames(globalThis)]);
  const names = new Map<string, string>();
  for (const className of classNames) {
    const type = freeName(pascalCase(className), used);
    for (const ending of endings) used.add(type + ending);
    names.set(className, type);
  }
  return names;
}

function freeName(name: string, used: ReadonlySet<string>): string {
  const candidates = [name, ...Array.from({ length: 200 }, (_, n) => `${name}${n + 2}`)]; // more than an instance's classes
  const isFree = (type: string) => endings.every((ending) => !used.has(type + ending));
  return candidates.find(isFree) ?? name;
}

function pascalCase(name: string): string {
  return name
    .split('_')
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');
}

const clientMembers = ['login', 'logout', 'run', 'publish', 'subscribe', 'request', 'endpoints'];
const notForMembers = new Set([...clientMembers, 'then']); // an object with `then` is taken for a promise

/** Returns the member of the client for a class: its name, or `<name>_class` where the client has that member. */
export function memberName(className: string): string {
  return notForMembers.has(className) ? `${className}_class` : className;
}

/** Returns a name as it is written in an object literal. */
export function propertyName(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : quoteLiteral(name);
}

/** Returns a text as a literal, without characters that reorder what an editor shows. */
export function quoteLiteral(text: string): string {
  const literal = JSON.stringify(text).slice(1, -1);
  return `'${printable(literal.replaceAll("'", "\\'"))}'`;
}

/** Returns a text as it is written in a comment, which it cannot end. */
export function inComment(text: string): string {
  return printableLine(text).replaceAll('*/', '* /');
}
