import { useState } from 'preact/hooks';

/** Arguments of runs that a person keeps in the tab. They are never sent, except with a run. */
export interface KeptArguments {
  /** JSON text, as it was last edited. */
  readonly text: string;
  readonly presets: Readonly<Record<string, string>>;
}

const none: KeptArguments = { text: '{}', presets: {} };

/** Keeps the arguments of a script until the tab is closed or the person signs out. */
export function useArguments(instance: string, script: number) {
  const name = `groundwork-console-arguments:${instance}:${script}`;
  const [kept, setKept] = useState<KeptArguments>(() => ({
    ...none,
    ...JSON.parse(sessionStorage.getItem(name) ?? '{}'), // written below only
  }));
  const keep = (next: KeptArguments) => {
    sessionStorage.setItem(name, JSON.stringify(next));
    setKept(next);
  };
  return [kept, keep] as const;
}
