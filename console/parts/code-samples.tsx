import { signal } from '@preact/signals';
import type { ApiRequest } from '../core/request.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { toCurl, toFetch, toPython } from './request-text.ts';

/** The language that was chosen last, for all samples. */
const language = signal('curl');

interface CodeSamplesProps {
  /** What the code does, for screen readers. */
  readonly label: string;
  readonly samples: readonly (readonly [language: string, text: string])[];
}

/** Returns a request in all languages. */
export function requestSamples(request: ApiRequest, typed: string): CodeSamplesProps['samples'] {
  return [
    ['curl', toCurl(request)],
    ['JavaScript', toFetch(request)],
    ['Typed client', typed],
    ['Python', toPython(request)],
  ];
}

/** The same request in several languages, one at a time. */
export function CodeSamples({ label, samples }: CodeSamplesProps) {
  const [shown, text] = samples.find(([name]) => name === language.value) ?? samples[0] ?? ['', ''];
  return (
    <section class="stack" aria-label={label}>
      <div class="actions">
        {samples.map(([name]) => (
          <Button
            key={name}
            class="small"
            aria-pressed={name === shown}
            onAct={() => {
              language.value = name;
            }}
            text={name}
          />
        ))}
        <span class="spring" />
        <CopyButton text={() => text} label="Copy" about={`${label}: ${shown}`} />
      </div>
      <pre>{text}</pre>
    </section>
  );
}
