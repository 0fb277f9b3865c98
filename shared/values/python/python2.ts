import {
  addToken,
  isErrorName,
  isOver,
  type Sighting,
  startStatement,
  statementRule,
  wordRule,
} from './python2-rules.ts';
import { type CodeText, tokensOf } from './tokens.ts';

/** A position where a source is Python 2. */
export interface Python2Finding {
  readonly line: number;
  /** The construct, such as `print statement`. */
  readonly what: string;
  /** False: a version of Python 3 may accept it, so it counts only if Python itself rejects the line. */
  readonly isCertain: boolean;
}

/** Page that says how to convert a source. */
export const python2Page = 'docs/guides/python-2.md';

/** Maximum number of findings; the text after the last one is not read. */
export const maxPython2Findings = 20;

/** Maximum names that are remembered, to tell the name of an error from a class of errors. */
const maxNames = 10_000;

/**
 * Finds syntax of Python 2 that Python 3 rejects, in the order of lines. Text in strings and comments does not count.
 * Takes time in proportion to the length of the text, whatever it contains.
 *
 * @param untilLine last line to read
 */
export function findPython2(
  text: CodeText,
  untilLine = Number.POSITIVE_INFINITY,
): readonly Python2Finding[] {
  const findings: Python2Finding[] = [];
  const names = new Map<string, 'error' | 'other'>(); // where each name is first
  let statement = startStatement();
  let before = '';
  for (const token of tokensOf(text)) {
    if (token.line > untilLine || findings.length >= maxPython2Findings) break;
    if (token.text === 'barry_as_FLUFL') break; // Python 3 has <> after this import
    if (token.kind === 'name' && before !== '.') {
      noteName(names, token.text, isErrorName(statement)); // a member binds no name
    }
    before = token.text;
    add(findings, names, statementRule(statement, token));
    add(findings, names, wordRule(token));
    addToken(statement, token);
    if (isOver(statement, token)) statement = startStatement();
  }
  return findings;
}

function noteName(names: Map<string, 'error' | 'other'>, name: string, isError: boolean): void {
  if (names.size < maxNames && !names.has(name)) names.set(name, isError ? 'error' : 'other');
}

type Names = ReadonlyMap<string, 'error' | 'other'>;

function add(findings: Python2Finding[], names: Names, found: Sighting | undefined): void {
  if (found === undefined) return;
  const { what, line, name } = found;
  const last = findings.at(-1);
  if (last?.line === line && last.what === what) return;
  findings.push({ what, line, isCertain: name === undefined || names.get(name) === 'error' });
}

/** Says where a source is Python 2: `line 3: print statement of Python 2`. */
export function describePython2({ line, what }: Pick<Python2Finding, 'line' | 'what'>): string {
  return `line ${line}: ${what} of Python 2`;
}
