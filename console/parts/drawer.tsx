import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { attempt } from '../core/notices.ts';
import { Button } from './button.tsx';

interface DrawerProps {
  readonly title: string;
  /** Before the button that closes it. */
  readonly actions?: ComponentChildren;
  /** Also called for Escape; opens the place below, so that unsaved changes are guarded. */
  readonly onClose: () => Promise<void>;
  readonly children: ComponentChildren;
}

/** A panel over the right of the screen, which can be used while it is open; in narrow windows over all of it. */
export function Drawer({ title, actions, onClose, children }: DrawerProps) {
  const panel = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  const titleId = useId();
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.show();
    heading.current?.focus();
    const onKeyDown = (event: KeyboardEvent) => {
      const isOurs = document.querySelector('dialog:modal, :popover-open') === null;
      if (event.key === 'Escape' && isOurs && !event.defaultPrevented) attempt(close.current);
    };
    addEventListener('keydown', onKeyDown);
    return () => {
      removeEventListener('keydown', onKeyDown);
      const isThere = before?.isConnected && before !== document.body;
      const next = isThere ? before : document.querySelector('[role="grid"]');
      if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog ref={panel} class="drawer" aria-labelledby={titleId}>
      <div class="dialog-heading">
        <h2 id={titleId} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <div class="actions">
          {actions}
          <Button class="icon" aria-label="Close" onAct={onClose} icon="close" />
        </div>
      </div>
      <div class="drawer-content">{children}</div>
    </dialog>
  );
}
