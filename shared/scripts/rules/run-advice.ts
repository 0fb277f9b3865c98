import { describePython2, findPython2, python2Page } from '../../values/python/python2.ts';
import { python2Module, python2Name } from './python2-names.ts';

/** Characters at the end of standard error in which advice finds its reason. */
export const advisedTail = 4096;

/** Characters of a source that are searched for Python 2 after a run: about 10 ms at most. */
export const advisedSource = 65_536;

/** Advice about a failed run: a text, or what the source has to show first. */
export type Advice =
  | { readonly kind: 'text'; readonly text: string }
  /** A line of the source that Python rejects: {@link python2Advice} has the text. */
  | { readonly kind: 'source'; readonly line: number };

const missingPage = 'docs/guides/scripts.md#missing-modules';
const fetchPage = 'docs/guides/scripts.md#instead-of-request';

/**
 * Says from the standard error of a failed run what its developer can do (docs/guides/scripts.md#missing-modules).
 *
 * @returns undefined for any other failure
 */
export function adviceOn(runtime: 'node' | 'python', stderr: string): Advice | undefined {
  const tail = stderr.slice(-advisedTail);
  if (runtime === 'node') {
    const name = /(?:^|\n)(?:\w+: )?Error: Cannot find module '([^'\n]{1,200})'(?:\n|$)/.exec(
      tail,
    )?.[1];
    return name === undefined ? undefined : textAdvice(missingPackage(name));
  }
  const last = tail.slice(tail.lastIndexOf('\n') + 1);
  if (last.startsWith('SyntaxError: ')) return rejectedLine(tail);
  return textAdvice(missingModule(last) ?? missingName(last));
}

/** Returns the advice for a source of Python 2 that Python rejects at a line; undefined for another source. */
export function python2Advice(source: string, line: number): string | undefined {
  const found = findPython2(source.slice(0, advisedSource), line).find(
    (each) => each.line === line,
  );
  return found && `${describePython2(found)}. How to convert: ${python2Page}`;
}

function textAdvice(text: string | undefined): Advice | undefined {
  return text === undefined ? undefined : { kind: 'text', text };
}

/** Finds the line of a syntax error of the script itself, not of a text that it compiles. */
function rejectedLine(tail: string): Advice | undefined {
  const lines = `\n${tail}`;
  const frame = lines.slice(lines.lastIndexOf('\n  File "'));
  const line = /^\n {2}File "main\.py", line (\d{1,9})\n/.exec(frame)?.[1];
  return line === undefined ? undefined : { kind: 'source', line: Number(line) };
}

/** Modules of Python itself that an installation may lack; no package has them. */
const partsOfPython = new Set([
  'tkinter',
  'turtle',
  'curses',
  'readline',
  'ensurepip',
  'distutils',
]);

/** The old service's client: PyPI has no wheel of it, and a push takes wheels only. */
const sourceOnly = 'syncano';

function missingModule(last: string): string | undefined {
  const name = /^ModuleNotFoundError: No module named '([\w.]{1,200})'/.exec(last)?.[1];
  if (name === undefined) return undefined;
  const now = python2Module(name);
  if (now !== undefined) return `${name} is a module of Python 2: ${now}. See ${python2Page}`;
  const [top = name] = name.split('.');
  if (partsOfPython.has(top) || top.startsWith('_')) return undefined;
  if (top === sourceOnly) {
    return `The module ${top} is not installed. Operator: groundwork admin python-packages. See ${missingPage}`;
  }
  return [
    `The module ${top} is not installed.`,
    `Developer: list its package in requirements.txt beside the script, and groundwork push.`,
    `Operator: groundwork admin python-packages. See ${missingPage}`,
  ].join(' ');
}

function missingName(last: string): string | undefined {
  const name = /^NameError: name '(\w{1,40})' is not defined/.exec(last)?.[1];
  const member = /^AttributeError: 'dict' object has no attribute '(\w{1,40})'/.exec(last)?.[1];
  const old = name ?? (member && `dict.${member}`);
  const now = old && python2Name(old);
  return now && `${old} is a name of Python 2: ${now}. See ${python2Page}`;
}

function missingPackage(name: string): string | undefined {
  if (/^(request|request-promise(-native)?)$/.test(name)) {
    return `${name} is not available: write fetch(url) instead. See ${fetchPage}`;
  }
  if (!/^(@[\w.-]+\/)?[\w-][\w.-]*(\/|$)/.test(name)) {
    return `A script has no other files: groundwork push bundles the modules of a project. See ${missingPage}`;
  }
  return `The package ${packageOf(name)} is not part of the script: npm install it in the project, and groundwork push bundles it. See ${missingPage}`;
}

function packageOf(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/');
}
