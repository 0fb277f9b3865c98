import { FormDialog } from '../../parts/draft-form.tsx';
import { ErrorText } from '../../parts/field-messages.tsx';
import { AreaField, nameInput, SelectField, TextField } from '../../parts/form.tsx';
import { logInServices, type Provider } from './user-settings-data.ts';

interface ProviderDialogProps {
  /** Undefined: a new one. */
  readonly provider: Provider | undefined;
  readonly onSave: (body: object) => Promise<void>;
  readonly onClose: () => void;
}

const kinds = Object.entries(logInServices);
const codeInput = { ...nameInput, maxLength: 10 };
const kept = 'Leave empty to keep the stored one.';

/** The form of a service. Its secret is written, and never shown. */
export function ProviderDialog({ provider, onSave, onClose }: ProviderDialogProps) {
  const isNew = provider === undefined;
  const secretHint = provider?.has_secret === true ? { hint: kept } : {};
  return (
    <FormDialog
      title={isNew ? 'New service' : `Edit ${provider.name}`}
      start={draftOf(provider)}
      verb="Save"
      onSend={(values) => onSave(bodyOf(values))}
      onClose={onClose}
    >
      {({ values, text, errors }) => (
        <>
          <SelectField label="Service" options={kinds} {...text('kind')} />
          {isNew && (
            <TextField
              label="Name"
              hint="Lower-case letters, digits and hyphens. Part of the log-in address."
              input={{ ...nameInput, maxLength: 40 }}
              {...text('name')}
            />
          )}
          {values.kind === 'oidc' && (
            <TextField
              label="Issuer"
              hint="The issuer address of the service, for example https://login.example.com."
              input={{ ...nameInput, type: 'url' }}
              {...text('issuer')}
            />
          )}
          <TextField label="Client id" input={nameInput} {...text('client_id')} />
          {values.kind === 'apple' ? (
            <>
              <TextField label="Team id" input={codeInput} {...text('team_id')} />
              <TextField label="Key id" input={codeInput} {...text('key_id')} />
              <AreaField
                label="Key (text of the .p8 file)"
                isCode
                {...secretHint}
                {...text('secret')}
              />
            </>
          ) : (
            <TextField
              label="Client secret"
              input={{ type: 'password', autocomplete: 'off', maxLength: 4096 }}
              {...secretHint}
              {...text('secret')}
            />
          )}
          <TextField
            label="Scopes, separated by spaces"
            hint="Leave empty for the default."
            input={{ autocomplete: 'off', spellcheck: false }}
            {...text('scopes')}
          />
          <ErrorText>{errors.providers}</ErrorText>
        </>
      )}
    </FormDialog>
  );
}

function draftOf(provider: Provider | undefined) {
  return {
    kind: provider?.kind ?? 'google',
    name: provider?.name ?? '',
    client_id: provider?.client_id ?? '',
    issuer: provider?.issuer ?? '',
    team_id: provider?.team_id ?? '',
    key_id: provider?.key_id ?? '',
    scopes: (provider?.scopes ?? []).join(' '),
    secret: '',
  };
}

/** Returns the body of a service: only what its kind has, and a secret only where one was typed. */
function bodyOf(values: ReturnType<typeof draftOf>): object {
  const { kind, name, client_id, issuer, team_id, key_id, secret } = values;
  const scopes = values.scopes.split(/\s+/).filter((scope) => scope !== '');
  return {
    kind,
    name: name.trim(),
    client_id: client_id.trim(),
    ...(kind === 'oidc' && { issuer: issuer.trim() }),
    ...(kind === 'apple' && { team_id: team_id.trim(), key_id: key_id.trim() }),
    ...(scopes.length > 0 && { scopes }),
    ...(secret.trim() !== '' && { secret: secret.trim() }),
  };
}
