import { useEffect, useRef } from 'preact/hooks';

interface SafeFrameProps {
  readonly title: string;
  /** May be hostile. */
  readonly html: string;
}

/**
 * Shows HTML in a frame where nothing runs: the empty sandbox allows no scripts, forms, pop-ups and navigation of the
 * window, and gives an origin of its own. The frame also has the policy of the console: no code and styles inline, and
 * nothing is loaded from other hosts.
 */
export function SafeFrame({ title, html }: SafeFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const trusted = policy === undefined ? html : policy.createHTML(html);
    if (frame.current !== null) Object.assign(frame.current, { srcdoc: trusted });
  }, [html]);
  return <iframe ref={frame} class="preview" title={title} sandbox="" />;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (html: string) => string }): TrustedPolicy;
}

interface TrustedPolicy {
  createHTML(html: string): object;
}

// the policy of the console refuses plain text as HTML; not all browsers know trusted types
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('groundwork-preview', { createHTML: (html) => html });
