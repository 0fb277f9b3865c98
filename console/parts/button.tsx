import type { ComponentProps } from 'preact';
import { attempt } from '../core/notices.ts';
import { refusalOf, type SentRequest } from '../core/roles.ts';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps
  extends Omit<ComponentProps<'button'>, 'type' | 'onClick' | 'children' | 'icon'> {
  /** Absent: the icon with an `aria-label`. */
  readonly text?: string;
  readonly icon?: IconName;
  /** What it sends, or what it opens sends: a role that may not has no such button. */
  readonly sends?: SentRequest;
  /** What the button does; an error is shown as a notice. */
  readonly onAct: () => unknown;
}

/** A button that sends no form. */
export function Button({ text, icon, sends, onAct, ...attributes }: ButtonProps) {
  if (sends !== undefined && refusalOf(sends) !== undefined) return null;
  return (
    <button {...attributes} type="button" onClick={() => attempt(async () => onAct())}>
      {icon !== undefined && <Icon name={icon} />}
      {text}
    </button>
  );
}

interface AddLinkProps extends Required<Pick<ButtonProps, 'sends' | 'text'>> {
  readonly href: string;
  readonly class?: string;
}

/** A link to the form for a new record. */
export function AddLink({ sends, text, class: look = 'button main', href }: AddLinkProps) {
  if (refusalOf(sends) !== undefined) return null;
  return (
    <a class={look} href={href}>
      {text}
    </a>
  );
}
