import { createHash } from 'node:crypto';

const name = '[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?';
const extras = String.raw`\[\s*${name}(?:\s*,\s*${name})*\s*\]`;
const specifier = String.raw`(?:===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9.*+!_-]+`;
const specifiers = String.raw`${specifier}(?:\s*,\s*${specifier})*`;
const marker = String.raw`;[\w\s.'"<>=!~()+*-]+`;
const requirement = new RegExp(
  String.raw`^${name}\s*(?:${extras})?\s*(?:${specifiers}|\(\s*${specifiers}\s*\))?\s*(?:${marker})?$`,
);

/**
 * Parses a `requirements.txt`: names of packages with extras, versions and markers, and comments. Anything else, such
 * as an address or an option, would let a project that was cloned choose where pip takes code from.
 *
 * @throws Error with the first line that is something else
 */
export function parseRequirements(text: string, file: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/(^|\s)#.*$/, '').trim());
  const wrong = lines.findIndex((line) => line !== '' && !requirement.test(line));
  if (wrong >= 0) {
    throw new Error(
      `${file}, line ${wrong + 1}: ${lines[wrong]} is not allowed: a line names a package, with extras, versions and markers, and has no options and addresses`,
    );
  }
  return lines.filter((line) => line !== '');
}

/** Returns the hash by which a lock file knows its requirements; line ends do not count. */
export function hashRequirements(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}
