import { readClassNames } from '../core/class-names.ts';
import { useLoad } from '../core/load.ts';
import { SelectField, type TextValue } from './form.tsx';
import { LoadedData } from './loaded.tsx';

interface ClassFieldProps extends TextValue {
  readonly instance: string;
  readonly label: string;
  /** Is chosen by an empty value. */
  readonly none: string;
  /** Returns the text of the choice of a class; absent: its name. */
  readonly textOf?: (name: string) => string;
  readonly hint?: string | undefined;
  readonly required?: boolean;
}

/** A choice of one class of an instance, whose classes it loads. */
export function ClassField({ instance, none, textOf = (name) => name, ...field }: ClassFieldProps) {
  const classes = useLoad(() => readClassNames(instance), [instance]);
  return (
    <LoadedData of={classes}>
      {(all) => (
        <SelectField
          {...field}
          options={[['', none], ...all.map((name) => [name, textOf(name)] as const)]}
        />
      )}
    </LoadedData>
  );
}
