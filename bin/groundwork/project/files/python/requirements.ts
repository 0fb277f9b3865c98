import { createHash } from 'node:crypto';

const name = '[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?';
const extras = String.raw`\[ ?${name}(?: ?, ?${name})* ?\]`;
const specifier = `(?:===|==|~=|!=|<=|>=|<|>) ?[A-Za-z0-9.*+!_-]+`;
const specifiers = `${specifier}(?: ?, ?${specifier})*`;
const marker = String.raw`;[\w .'"<>=!~()+*-]+`;
const requirement = new RegExp(
  String.raw`^${name} ?(?:${extras})? ?(?:${specifiers}|\( ?${specifiers} ?\))? ?(?:${marker})?$`,
);

/**
 * Parses a `requirements.txt`: names of packages with extras, versions and markers, and comments. Anything else, such
 * as an address or an option, would let a project that was cloned choose where pip takes code from, or let pip run it.
 *
 * @returns lines with single spaces: only a line feed begins a line of the file, but for pip other characters do too
 * @throws Error with the first line that is something else
 */
export function parseRequirements(text: string, file: string): readonly string[] {
  const lines = text.split(/\r?\n/).map(withoutComment);
  const wrong = lines.findIndex((line) => line !== '' && !isRequirement(line));
  if (wrong >= 0) {
    throw new Error(
      `${file}, line ${wrong + 1}: ${lines[wrong]} is not allowed: a line names a package, with extras, versions and markers, and has no options and addresses`,
    );
  }
  return lines.filter((line) => line !== '');
}

/** Returns a line without its comment. Single spaces keep the pattern fast. */
function withoutComment(line: string): string {
  const spaced = line.replace(/[ \t]+/g, ' ');
  return spaced.replace(/(^| )#.*$/s, '').replace(/^ | $/g, '');
}

/** Checks a line. Behind a space and a hyphen pip reads an option, even in the text of a marker. */
function isRequirement(line: string): boolean {
  return requirement.test(line) && !line.includes(' -');
}

/** Returns the hash by which a lock file knows its requirements; line ends do not count. */
export function hashRequirements(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}
