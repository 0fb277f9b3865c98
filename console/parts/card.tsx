import type { ComponentChildren } from 'preact';

interface CardProps {
  readonly title: string;
  /** Of the heading, which then names the region for screen readers. */
  readonly id?: string;
  readonly children: ComponentChildren;
}

/** A part of a screen with a frame and a heading. */
export function Card({ title, id, children }: CardProps) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
