import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** What is said below a control. */
export interface FieldNotes {
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
}

/** Returns only the hint, as the error, where an error repeats which characters, how many or which numbers it allows. */
export function saidOnce({ hint, error }: FieldNotes): FieldNotes {
  const isRule = typeof hint === 'string' && /letters|characters|\d .*to \d/.test(hint);
  const isBroken = /letter|characters|^Ensure this value|^Enter .*\d/.test(error ?? '');
  return isRule && isBroken ? { error: hint } : { hint, error };
}

/**
 * Says what the browser finds wrong with a control when the form is sent, until it is changed.
 *
 * @param error what the server said
 * @returns the error, and attributes of an element around the control
 */
export function useInvalid(error: string | undefined) {
  const [found, setFound] = useState<string>();
  const watch = {
    onInvalidCapture: ({ target }: Event) => {
      const control = target as HTMLInputElement; // or another control
      const before = control.ariaLabel === null ? '' : `${control.ariaLabel}: `; // one of several in a line
      setFound(before + reasonOf(control));
    },
    onInput: () => setFound(undefined),
  };
  return { error: found ?? error, watch };
}

function reasonOf({ validity, type, min, max }: HTMLInputElement): string {
  if (validity.valueMissing) return missing[type] ?? 'This field is required.';
  if (validity.rangeUnderflow) return `Enter ${min} or more.`;
  if (validity.rangeOverflow) return `Enter ${max} or less.`;
  if (validity.stepMismatch && type === 'number') return 'Enter a whole number.';
  return malformed[type] ?? 'Enter a number.';
}

const missing: Readonly<Record<string, string>> = {
  'select-one': 'Choose one.',
  file: 'Choose a file.',
};

const malformed: Readonly<Record<string, string>> = {
  email: 'Enter an e-mail address.',
  url: 'Enter a complete address.',
  'datetime-local': 'Enter a date and a time.',
};

interface HintAndErrorProps extends FieldNotes {
  readonly id: string;
}

/** Hint and error of a control; it names them with `describedBy`. */
export function HintAndError({ id, hint, error }: HintAndErrorProps) {
  return (
    <>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <ErrorText id={`${id}-error`}>{error}</ErrorText>
    </>
  );
}

interface ErrorTextProps {
  readonly id?: string;
  readonly children: string | undefined;
}

/** What is wrong with a value; nothing without a text. */
export function ErrorText({ id, children }: ErrorTextProps) {
  if (children === undefined) return null;
  return (
    <p class="error" id={id} role="alert">
      {children}
    </p>
  );
}

/** Returns the attributes of a control that `HintAndError` describes. */
export function describedBy(id: string, { hint, error }: FieldNotes) {
  const ids = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`];
  const named = ids.filter((each) => each !== false).join(' ');
  return {
    ...(named !== '' && { 'aria-describedby': named }),
    ...(error !== undefined && { 'aria-invalid': true }),
  };
}
