/** Arguments of runs that a person keeps in the tab. They are never sent, except with a run. */
export interface KeptArguments {
  /** JSON text, as it was last edited. */
  readonly text: string;
  readonly presets: Readonly<Record<string, string>>;
}

const none: KeptArguments = { text: '{}', presets: {} };

/** Reads the arguments kept for a script. */
export function readArguments(instance: string, script: string): KeptArguments {
  const stored = sessionStorage.getItem(storageName(instance, script));
  return stored === null ? none : { ...none, ...JSON.parse(stored) }; // written by keepArguments only
}

/** Keeps arguments until the tab is closed or the person signs out. */
export function keepArguments(instance: string, script: string, kept: KeptArguments): void {
  sessionStorage.setItem(storageName(instance, script), JSON.stringify(kept));
}

function storageName(instance: string, script: string): string {
  return `groundwork-console-arguments:${instance}:${script}`;
}
