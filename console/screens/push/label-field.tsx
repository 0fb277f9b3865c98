import { TextField } from '../../parts/form.tsx';

interface LabelFieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly error: string | undefined;
}

/** The label of a device. */
export function LabelField(props: LabelFieldProps) {
  return <TextField label="Label" input={{ autocomplete: 'off', maxLength: 80 }} {...props} />;
}
