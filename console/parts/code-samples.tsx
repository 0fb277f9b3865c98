import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { ApiRequest } from '../core/request.ts';
import { currentLocation, setQuery } from '../core/router.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { toCurl, toFetch, toPython } from './request-text.ts';

/** The language that was chosen last, for all samples whose place names none. */
const last = signal('curl');

type Samples = readonly (readonly [language: string, text: string])[];

interface CodeSamplesProps {
  /** What the code does, for screen readers. */
  readonly label: string;
  readonly samples: Samples;
  /** Are shown instead of the samples that are copied: without a secret. */
  readonly shown?: Samples;
  /** Further buttons below the code. */
  readonly children?: ComponentChildren;
}

/**
 * Returns a request in all languages.
 *
 * @param key as in `toCurl`
 */
export function requestSamples(request: ApiRequest, typed: string, key?: string | null): Samples {
  return [
    ['curl', toCurl(request, key)],
    ['JavaScript', toFetch(request, key)],
    ['Typed client', typed],
    ['Python', toPython(request, key)],
  ];
}

/** Returns a program with the client that `groundwork types` writes. */
export function typedSample(code: string, options = '{ url, instance, apiKey }'): string {
  return `import { createClient } from './client.ts'; // written by: groundwork types --out client.ts

const db = createClient(${options});
${code}`;
}

/** The same request in several languages, one at a time. */
export function CodeSamples({ label, samples, shown = samples, children }: CodeSamplesProps) {
  const wanted = currentLocation.value.query.get('language') ?? last.value;
  const index = samples.findIndex(([name]) => name.toLowerCase() === wanted);
  const current = Math.max(index, 0);
  const [language, text] = samples[current] ?? ['', ''];
  const choose = (name: string) => {
    last.value = name.toLowerCase();
    setQuery({ language: last.value });
  };
  return (
    <section class="stack" aria-label={label}>
      <div class="actions">
        {samples.map(([name]) => (
          <Button
            key={name}
            class="small"
            aria-pressed={name === language}
            onAct={() => choose(name)}
            text={name}
          />
        ))}
      </div>
      <pre>{shown[current]?.[1]}</pre>
      <div class="actions">
        <CopyButton text={() => text} label="Copy" about={`${label}: ${language}`} />
        {children}
      </div>
    </section>
  );
}
