import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { confirm, password, progress, text } from '@clack/prompts';
import { processVariables } from '../../shared/ports/setting-variables.ts';
import { printable } from '../../shared/values/text/printable.ts';
import { OperatorUsageError } from '../operator/terminal.ts';

/**
 * How the commands talk to people and to other programs. Texts of servers and files cannot control the terminal: every
 * text is made {@link printable} here, where it is printed, except for the colours of `style`.
 */
export interface Terminal {
  /** Whether results are printed as JSON. */
  readonly isJson: boolean;
  /** Whether errors are printed with the request that has failed. */
  readonly isVerbose: boolean;
  /** Prints the result of a command: as JSON if that is wanted, otherwise the text. */
  result(value: unknown, asText: () => string): void;
  /** Prints a line about what happens; nothing with `--json`. */
  say(line: string): void;
  /** Prints a warning to standard error. */
  warn(line: string): void;
  /** Colours a text, on a terminal with colours. */
  style(format: Color, text: string): string;
  /**
   * Asks for a text.
   *
   * @throws UsageError when nobody can be asked: then `option` must be given
   */
  ask(question: string, option: string, initial?: string): Promise<string>;
  /** Asks for a text that is not shown. */
  askSecret(question: string, option: string): Promise<string>;
  /** Returns whether a person types `expected`; false when nobody can be asked. */
  confirm(question: string, expected: string): Promise<boolean>;
  /** Returns whether a person agrees; true when nobody can be asked. */
  agrees(question: string): Promise<boolean>;
  /** Shows the progress of long work on a terminal. */
  progress(label: string, total: number): ProgressBar;
}

/** A colour of a text, or how it is emphasised. */
export type Color = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** A bar on a terminal. */
export interface ProgressBar {
  advance(count: number): void;
  /** Ends the bar, and prints a line to standard error unless the result of the command says it. */
  end(line?: string): void;
}

/** Opens the terminal of the process. */
export function openTerminal({
  isJson,
  isVerbose = false,
}: {
  readonly isJson: boolean;
  readonly isVerbose?: boolean;
}): Terminal {
  const { stdout, stderr, stdin } = process;
  const { NO_COLOR: noColor, TERM: kind } = processVariables();
  const isInteractive = stdin.isTTY === true && stderr.isTTY === true;
  const hasColors = stdout.isTTY === true && !noColor && kind !== 'dumb';
  const need = (option: string) => {
    if (!isInteractive)
      throw new OperatorUsageError(`give ${option}: there is no terminal to ask at`);
  };
  const asked = (given: string | symbol | undefined): string => {
    if (typeof given === 'symbol') throw new Error('cancelled');
    return given ?? '';
  };
  const { style, shown } = openColors(hasColors);
  return {
    isJson,
    isVerbose,
    result: (value, asText) => {
      const printed = isJson ? printable(JSON.stringify(value, undefined, 2)) : shown(asText());
      stdout.write(printed.endsWith('\n') ? printed : `${printed}\n`);
    },
    say: (line) => {
      if (!isJson) stdout.write(`${shown(line)}\n`);
    },
    warn: (line) => void stderr.write(`${shown(line)}\n`),
    style,
    ask: async (message, option, initialValue = '') => {
      need(option);
      return asked(await text({ message: shown(message), initialValue, output: stderr }));
    },
    askSecret: async (message, option) => {
      need(option);
      return asked(await password({ message: shown(message), output: stderr }));
    },
    confirm: async (message, expected) => {
      if (!isInteractive) return false;
      return asked(await text({ message: shown(message), output: stderr })).trim() === expected;
    },
    agrees: async (message) =>
      !isInteractive || (await confirm({ message: shown(message), output: stderr })) === true,
    progress: (label, total) => {
      if (isJson || stderr.isTTY !== true) {
        return {
          advance: () => undefined,
          end: (last) => {
            if (last !== undefined) stderr.write(`${shown(last)}\n`);
          },
        };
      }
      const bar = progress({ max: Math.max(1, total), output: stderr, withGuide: false });
      bar.start(shown(label));
      return {
        advance: (count) => bar.advance(count),
        end: (last) => (last === undefined ? bar.clear() : bar.stop(shown(last))),
      };
    },
  };
}

/**
 * Marks colours in texts, so that they can be told from escape sequences of someone else: a mark has a number that
 * nobody else knows.
 */
function openColors(hasColors: boolean) {
  const mark = `<${randomBytes(12).toString('hex')}:`;
  const marks = new RegExp(`${mark}(\\d+)>`);
  const style = (format: Color, given: string): string => {
    const [start, end] = inspect.colors[format] ?? [0, 0];
    return hasColors ? `${mark}${start}>${given}${mark}${end}>` : given;
  };
  const shown = (given: string): string =>
    given
      .split(marks) // the codes of the marks are at odd positions
      .map((part, at) => (at % 2 === 1 ? `\u001b[${part}m` : printable(part)))
      .join('');
  return { style, shown };
}

/** Returns a number with its noun: `1 object`, `2 objects`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
