import { messageOf } from '../../../../shared/values/caught.ts';
import { parseFiniteJson } from '../../../../shared/values/json/finite-json.ts';
import { OperatorUsageError } from '../../../operator/terminal.ts';
import type { ProjectFiles } from '../../project-files.ts';

/**
 * Reads a file of JSON, or one with a JSON object in each line, as mongoexport writes it.
 *
 * @param encoding of the file; undefined: UTF-8
 * @returns the value; for lines, a list of the objects
 * @throws Error that names the file, and the line as far as that is known
 */
export function readCollectionFile(
  files: ProjectFiles,
  file: string,
  encoding: string | undefined,
): unknown {
  const text = files.readText(file, { encoding });
  if (text === undefined) throw new OperatorUsageError(`there is no ${file}`);
  try {
    return parseFiniteJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (isOfLines(text)) return readLines(file, text);
    const line = lineOfError(text, messageOf(error));
    throw badJson(file, line, messageOf(error));
  }
}

function badJson(file: string, line: number | undefined, message: string): OperatorUsageError {
  return new OperatorUsageError(`${file}${line === undefined ? '' : `, line ${line}`}: ${message}`);
}

/** Checks whether the first line is an object of its own. */
function isOfLines(text: string): boolean {
  const [first = ''] = text.trimStart().split('\n', 1);
  try {
    return first.startsWith('{') && typeof JSON.parse(first) === 'object';
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}

function readLines(file: string, text: string): readonly unknown[] {
  const records: unknown[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      records.push(parseFiniteJson(line));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw badJson(file, at + 1, messageOf(error));
    }
  }
  return records;
}

/** Finds the line of a syntax error: V8 says a position, or shows the text around it, or that the text has ended. */
function lineOfError(text: string, message: string): number | undefined {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  if (position !== undefined)
    return lineAt(text, Math.min(Number(position), text.trimEnd().length));
  if (message.includes('end of JSON')) return lineAt(text, text.trimEnd().length);
  const [, shown = ''] =
    /^Unexpected token .+?, (?:\.\.\.)?"(.+)"(?:\.\.\.)? is not/s.exec(message) ?? [];
  const at = shown === '' ? -1 : text.indexOf(shown);
  const isSingle = at >= 0 && text.indexOf(shown, at + 1) < 0;
  return isSingle ? lineAt(text, at + (shown.length >> 1)) : undefined;
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}
