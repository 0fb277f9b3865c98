import { AreaField } from './form.tsx';

interface DescriptionFieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** Messages of the form by field. */
  readonly errors: Readonly<Record<string, string>>;
}

/** The description that most records have. */
export function DescriptionField({ value, onValue, errors }: DescriptionFieldProps) {
  return (
    <AreaField
      label="Description"
      value={value}
      onValue={onValue}
      error={errors.description}
      rows={2}
    />
  );
}
