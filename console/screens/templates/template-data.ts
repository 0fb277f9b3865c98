/** A template, as the interface shows it. */
export interface Template {
  readonly name: string;
  readonly description: string;
  readonly content: string;
  readonly content_type: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** Types of content that are offered; others can be typed. */
export const contentTypes = ['text/html', 'text/plain', 'text/csv', 'application/xml'] as const;
