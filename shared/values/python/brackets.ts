/** Checks whether an operator opens brackets. */
export function isOpening(operator: string): boolean {
  return operator === '(' || operator === '[' || operator === '{';
}

/** Checks whether an operator closes brackets. */
export function isClosing(operator: string): boolean {
  return operator === ')' || operator === ']' || operator === '}';
}
