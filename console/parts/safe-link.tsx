import type { ComponentChildren } from 'preact';

interface SafeLinkProps {
  /** An address from data. */
  readonly url: string;
  readonly children: ComponentChildren;
}

/** A link to an address from data: one of another scheme than HTTP, which could be a script, stays text. */
export function SafeLink({ url, children }: SafeLinkProps) {
  if (!isWebAddress(url)) return <>{children}</>;
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

/** Checks whether an address is one of HTTP. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
