/** Characters that control a terminal, or reorder or hide text: C0, delete and C1, bidirectional controls, separators. */
const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * Returns a text of someone else as a terminal may show it: control characters as `\u001b`, except tabs and the ends of
 * lines. In JSON the result means the same.
 */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(controls, (one) => (isPlain(one) ? one : showCharacter(one)));
}

/** Returns a text as {@link printable} does, in one line. */
export function printableLine(text: string): string {
  return text.replace(controls, showCharacter);
}

function isPlain(character: string): boolean {
  return character === '\n' || character === '\t';
}

/** All these characters are one code unit. */
function showCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
