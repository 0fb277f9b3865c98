import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiPanel } from './api-panel.tsx';
import { type Tab, Tabs } from './tabs.tsx';

interface PageProps {
  /** Heading of the screen, and title of the window. */
  readonly title: string;
  /** One sentence about the screen, below the heading. */
  readonly about?: ComponentChildren;
  /** Links to the places above this one. */
  readonly above?: readonly { readonly text: string; readonly href: string }[];
  /** Below the heading. */
  readonly tabs?: readonly Tab[] | undefined;
  /** Buttons at the heading. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A screen: heading, actions, content, and the requests that it makes. */
export function ScreenFrame({ title, about, above = [], tabs, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Groundwork`;
  }, [title]);
  useEffect(() => {
    // screen readers and the keyboard go on at the heading of a screen that was opened by a link
    if (document.activeElement === document.body || document.activeElement === null) {
      heading.current?.focus({ preventScroll: true });
    }
    window.scrollTo(0, 0);
  }, []);
  return (
    <>
      {above.length > 0 && (
        <nav class="above" aria-label="Breadcrumbs">
          {above.map((each) => (
            <a key={each.href} href={each.href}>
              {each.text}
            </a>
          ))}
        </nav>
      )}
      <div class="heading">
        <h1 tabIndex={-1} ref={heading}>
          {title}
        </h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {tabs !== undefined && <Tabs label={`Parts of ${title}`} tabs={tabs} />}
      {about !== undefined && <p class="about">{about}</p>}
      {children}
      <ApiPanel />
    </>
  );
}
