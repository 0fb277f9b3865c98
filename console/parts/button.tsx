import type { ComponentProps } from 'preact';
import { useRef } from 'preact/hooks';
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

/** A button that sends no form. What changes something is done once until it has ended, however often it is pressed. */
export function Button({ text, icon, sends, onAct, ...attributes }: ButtonProps) {
  const isBusy = useRef(false);
  if (sends !== undefined && refusalOf(sends) !== undefined) return null;
  const act = async () => {
    if (isBusy.current) return;
    isBusy.current = sends !== undefined && sends.method !== 'GET';
    try {
      await onAct();
    } finally {
      isBusy.current = false;
    }
  };
  return (
    <button {...attributes} type="button" onClick={() => attempt(act)}>
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
