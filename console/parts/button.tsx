import type { ComponentProps } from 'preact';
import { attempt } from '../core/notices.ts';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'onClick' | 'children'> {
  readonly text: string;
  /** What the button does; an error is shown as a notice. */
  readonly onAct: () => unknown;
}

/** A button that sends no form. */
export function Button({ text, onAct, ...attributes }: ButtonProps) {
  return (
    <button {...attributes} type="button" onClick={() => attempt(async () => onAct())}>
      {text}
    </button>
  );
}
