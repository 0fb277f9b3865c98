import { TextField } from '../../parts/form.tsx';

interface LabelFieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** Messages of the form by field. */
  readonly errors: Readonly<Record<string, string>>;
}

/** The label of a device. */
export function LabelField({ value, onValue, errors }: LabelFieldProps) {
  return (
    <TextField
      label="Label"
      value={value}
      onValue={onValue}
      error={errors.label}
      input={{ autocomplete: 'off', maxLength: 80 }}
    />
  );
}
