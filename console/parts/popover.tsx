import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

interface PopoverProps {
  /** Text of the button. */
  readonly text: string;
  readonly icon?: IconName;
  /** Look of the button. */
  readonly look?: 'small' | 'link';
  /** Gets a function that closes the panel. */
  readonly children: (close: () => void) => ComponentChildren;
}

/**
 * A button with a panel below it. Its field with `autofocus`, or the first one, gets the focus. Escape and a click
 * elsewhere close the panel, and the focus returns.
 */
export function Popover({ text, icon, look = 'small', children }: PopoverProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    const find = (selector: string) => panel.current?.querySelector<HTMLElement>(selector);
    (find('[autofocus]') ?? find('input, select, textarea'))?.focus();
  }, [isOpen]);
  return (
    <>
      <button ref={button} type="button" class={look} popovertarget={id}>
        {icon !== undefined && <Icon name={icon} />}
        <span>{text}</span>
      </button>
      <div
        ref={panel}
        id={id}
        class="popover"
        popover="auto"
        role="dialog"
        aria-label={text}
        onBeforeToggle={({ newState, currentTarget }) => {
          setOpen(newState === 'open');
          const { left = 0, bottom = 0 } = button.current?.getBoundingClientRect() ?? {};
          currentTarget.style.setProperty('--left', `${left}px`);
          currentTarget.style.setProperty('--top', `${bottom}px`);
        }}
      >
        {isOpen && children(() => panel.current?.hidePopover())}
      </div>
    </>
  );
}
