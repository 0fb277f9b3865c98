import { ProgramOutput } from '../../parts/output.tsx';
import { SafeFrame } from './safe-frame.tsx';

/** What a template has rendered. */
export interface Rendered {
  readonly type: string;
  readonly text: string;
}

/** The output of a template: as text, and a page also as it looks. */
export function Preview({ rendered: { type, text } }: { readonly rendered: Rendered }) {
  return (
    <>
      <p class="soft">{type}</p>
      {/^text\/html\b/i.test(type) && (
        <>
          <SafeFrame title="Page" html={text} />
          <p class="hint">
            Scripts, styles and images from other servers are not loaded, and links do not work.
          </p>
        </>
      )}
      <ProgramOutput label="Text" text={text} />
    </>
  );
}
