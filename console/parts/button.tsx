import type { ComponentProps } from 'preact';
import { attempt } from '../core/notices.ts';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps
  extends Omit<ComponentProps<'button'>, 'type' | 'onClick' | 'children' | 'icon'> {
  /** Absent: the icon with an `aria-label`. */
  readonly text?: string;
  readonly icon?: IconName;
  /** What the button does; an error is shown as a notice. */
  readonly onAct: () => unknown;
}

/** A button that sends no form. */
export function Button({ text, icon, onAct, ...attributes }: ButtonProps) {
  return (
    <button {...attributes} type="button" onClick={() => attempt(async () => onAct())}>
      {icon !== undefined && <Icon name={icon} />}
      {text}
    </button>
  );
}
