import { TextField } from '../../parts/form.tsx';

interface CredentialFieldsProps {
  readonly email: string;
  readonly onEmail: (email: string) => void;
  readonly password: string;
  readonly onPassword: (password: string) => void;
  /** What a password manager does with the password. */
  readonly autocomplete: 'current-password' | 'new-password';
  readonly errors: Readonly<Record<string, string>>;
}

/** E-mail and password of an account. */
export function CredentialFields(props: CredentialFieldsProps) {
  const { email, onEmail, password, onPassword, autocomplete, errors } = props;
  return (
    <>
      <TextField
        label="E-mail"
        value={email}
        onValue={onEmail}
        error={errors.email}
        input={{ type: 'email', name: 'email', autocomplete: 'username', required: true }}
      />
      <TextField
        label="Password"
        value={password}
        onValue={onPassword}
        error={errors.password}
        input={{ type: 'password', name: 'password', autocomplete, maxLength: 128, required: true }}
      />
    </>
  );
}
