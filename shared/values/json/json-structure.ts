/** The amount of structure of a JSON text. */
export interface JsonStructure {
  /** Brackets, commas and colons outside strings. */
  readonly characters: number;
  /** Levels of lists and objects. */
  readonly depth: number;
}

/**
 * Measures the structure of a JSON text in one pass, without parsing it. Stops at `maxCharacters` or `maxDepth`: a
 * result above either is a lower bound. Text that is no JSON is measured as if it were.
 */
export function measureStructure(
  text: string,
  maxCharacters: number,
  maxDepth: number,
): JsonStructure {
  let characters = 0;
  let level = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // a string: its content does not count
        at = endOfString(text, at);
        break;
      case 0x5b:
      case 0x7b:
        level += 1;
        if (level > depth) depth = level;
        characters += 1;
        break;
      case 0x5d:
      case 0x7d:
        level -= 1;
        characters += 1;
        break;
      case 0x2c:
      case 0x3a:
        characters += 1;
    }
    if (characters > maxCharacters || depth > maxDepth) break;
  }
  return { characters, depth };
}

/** The size of a JSON text in its indented form. */
export interface IndentedSize {
  /** Brackets, commas and colons outside strings. */
  readonly characters: number;
  readonly length: number;
}

/**
 * Measures what a JSON text becomes when it is indented, in one pass and without making it: deep values become many
 * times as long. Stops where it exceeds a limit: the result is a lower bound then.
 *
 * @param text without spaces between values
 * @param indent spaces of a level, 1 or more
 */
export function measureIndented(text: string, indent: number, limits: IndentedSize): IndentedSize {
  let characters = 0;
  let level = 0;
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // a string: its content does not count
        at = endOfString(text, at);
        continue;
      case 0x5b:
      case 0x7b:
        characters += 1;
        if (isClosing(text.charCodeAt(at + 1))) {
          characters += 1;
          at += 1; // an empty list or object remains on its line
          break;
        }
        level += 1;
        length += 1 + indent * level;
        break;
      case 0x5d:
      case 0x7d:
        level -= 1;
        characters += 1;
        length += 1 + indent * level;
        break;
      case 0x2c:
        characters += 1;
        length += 1 + indent * level;
        break;
      case 0x3a:
        characters += 1;
        length += 1;
        break;
      default:
        continue;
    }
    if (characters > limits.characters || length > limits.length) break;
  }
  return { characters, length };
}

function isClosing(code: number): boolean {
  return code === 0x5d || code === 0x7d;
}

/** Returns the position of the quote that closes the string at `start`, or the text's end. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Checks whether an odd number of backslashes precedes a position. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === 0x5c) before -= 1;
  return (at - before) % 2 === 0;
}
