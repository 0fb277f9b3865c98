import { useState } from 'preact/hooks';
import { parseExactJson, writeExactJson } from '../../shared/values/json/exact-number.ts';
import { formatNumber } from '../core/format.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';

interface OutputProps {
  readonly label: string;
  readonly text: string;
}

const shownCharacters = 10_000;

/** Output of a program, as text; a long one is cut until all of it is asked for. */
export function ProgramOutput({ label, text }: OutputProps) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > shownCharacters;
  return (
    <div>
      <div class="output-heading">
        <h3>{label}</h3>
        <CopyButton text={() => text} label={`Copy ${label.toLowerCase()}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to take the focus */}
      <section class="output-box" tabIndex={0} aria-label={label}>
        <pre>{isCut ? text.slice(0, shownCharacters) : text}</pre>
      </section>
      {isCut && (
        <Button
          class="small"
          onAct={() => setWhole(true)}
          text={`Show all ${formatNumber(text.length)} characters`}
        />
      )}
    </div>
  );
}

/** Returns JSON on several lines, and other texts as they are. */
export function formatJson(text: string): string {
  try {
    return writeExactJson(parseExactJson(text), 2);
  } catch {
    return text;
  }
}
