import { useId } from 'preact/hooks';
import { Button } from './button.tsx';

interface MenuProps {
  /** What the button is for, for screen readers. */
  readonly label: string;
  readonly items: readonly MenuItem[];
}

interface MenuItem {
  readonly text: string;
  readonly onAct: () => unknown;
  readonly isDanger?: boolean;
}

const roomBelow = 160; // px: a menu with less opens above its button

/** A button that opens a list of further buttons. */
export function Menu({ label, items }: MenuProps) {
  const id = useId();
  return (
    <>
      <Button class="icon" icon="more" aria-label={label} popovertarget={id} onAct={() => {}} />
      <div
        id={id}
        class="menu"
        popover="auto"
        onBeforeToggle={({ currentTarget }) => place(currentTarget)}
      >
        {items.map(({ text, onAct, isDanger }) => (
          <Button
            key={text}
            class={isDanger ? 'danger' : ''}
            popovertarget={id}
            popovertargetaction="hide"
            onAct={onAct}
            text={text}
          />
        ))}
      </div>
    </>
  );
}

/** Puts a list next to its button: browsers cannot do it in CSS yet. */
function place(list: HTMLElement): void {
  const { top, bottom, right } =
    list.previousElementSibling?.getBoundingClientRect() ?? new DOMRect();
  const isBelow = bottom + roomBelow < innerHeight;
  Object.assign(list.style, {
    inset: 'auto',
    right: `${document.documentElement.clientWidth - right}px`,
    ...(isBelow ? { top: `${bottom}px` } : { bottom: `${innerHeight - top}px` }),
  });
}
