import { AreaField } from './form.tsx';

interface DescriptionFieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly error: string | undefined;
}

/** The description that most records have. */
export function DescriptionField(props: DescriptionFieldProps) {
  return <AreaField label="Description" rows={2} {...props} />;
}
