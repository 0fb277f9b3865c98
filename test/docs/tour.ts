/** Commands of the tour, and the response below them, if any. */
export interface Step {
  readonly commands: string;
  /** JSON text with placeholders; text that is no JSON is a string in it. */
  readonly answer: string | undefined;
}

/** Returns a section of a Markdown text, from its heading to the next of the same rank. */
export function sectionOf(markdown: string, heading: string): string {
  const [, section = ''] = markdown.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  return text;
}

/** Languages of blocks that are shown, and not run by a shell. */
const sources = ['js', 'python'];

/** Finds the steps of a Markdown text: blocks of `sh`, and the block of `json` or `text` below each. */
export function readSteps(text: string): readonly Step[] {
  const steps: Step[] = [];
  for (const [, language = '', content = ''] of text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) {
    const last = steps.at(-1);
    if (language === 'sh') steps.push({ commands: content, answer: undefined });
    else if (/^(json|text)$/.test(language) && last !== undefined && last.answer === undefined) {
      const response = language === 'json' ? content : JSON.stringify(content.trimEnd());
      steps[steps.length - 1] = { ...last, answer: response };
    } else if (!sources.includes(language))
      throw new Error(`a block of ${language} that follows no command`);
  }
  return steps;
}

const placeholder = '…';

/**
 * Replaces parts of a response with the placeholders of the expected one, so that the two can be compared: in a text,
 * `…` replaces one character and more; in an object, a member `"…": "…"` replaces one member and more. All else is
 * unchanged.
 */
export function maskAnswer(response: unknown, expected: unknown): unknown {
  if (typeof expected === 'string') return maskText(response, expected);
  if (Array.isArray(expected)) {
    if (!Array.isArray(response)) return response;
    return response.map((member, i) => maskAnswer(member, expected[i]));
  }
  if (!isObject(expected) || !isObject(response)) return response;
  return maskObject(response, expected);
}

function maskText(response: unknown, expected: string): unknown {
  if (typeof response !== 'string' || !expected.includes(placeholder)) return response;
  const parts = expected
    .split(placeholder)
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`).test(response) ? expected : response;
}

function maskObject(response: Members, expected: Members): Members {
  const names = Object.keys(response);
  const known = names.filter((name) => Object.hasOwn(expected, name));
  const hasMore = Object.hasOwn(expected, placeholder) && known.length < names.length;
  const shown = hasMore ? known : names;
  const masked = shown.map((name) => [name, maskAnswer(response[name], expected[name])] as const);
  return Object.fromEntries(hasMore ? [...masked, [placeholder, placeholder]] : masked);
}

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
