/** Values of a field that an import leaves out. */
export interface LeftOut {
  readonly file: string;
  readonly field: string;
  readonly reason: string;
  readonly values: number;
}

/** Counts a value that is left out. */
export type Leave = (file: string, field: string, reason: string, values?: number) => void;

/** Values that are left out so far. */
export interface LeftOutList {
  readonly leave: Leave;
  list(): readonly LeftOut[];
}

/** Starts a list of values that an import leaves out, with one entry for each field and reason. */
export function openLeftOut(): LeftOutList {
  const entries = new Map<string, LeftOut>();
  return {
    leave: (file, field, reason, values = 1) => {
      if (values === 0) return;
      const name = JSON.stringify([file, field, reason]);
      const known = entries.get(name)?.values ?? 0;
      entries.set(name, { file, field, reason, values: known + values });
    },
    list: () => [...entries.values()],
  };
}

/** Returns the line that says what is left out. */
export function leftOutLine({ file, field, reason, values }: LeftOut): string {
  const source = field === '' ? file : `${file}, ${field}`;
  const noun = field === '' ? 'record' : 'value';
  return `${source}: ${values} ${noun}${values === 1 ? '' : 's'} left out: ${reason}`;
}
