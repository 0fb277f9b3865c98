import { useState } from 'preact/hooks';
import { send } from '../../core/api.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FileField, Form, SelectField, TextField } from '../../parts/form.tsx';
import type { Config, Environment } from './push-data.ts';

interface CredentialDialogProps {
  /** Of the configuration of a service. */
  readonly path: string;
  readonly environment: Environment;
  readonly onSaved: (config: Config) => void;
  readonly onClose: () => void;
}

/** Takes a service account of Google's. Requests with credentials are not shown in the API panel. */
export function GoogleCredential({ path, environment, onSaved, onClose }: CredentialDialogProps) {
  const [file, setFile] = useState<File>();
  const name = `${environment}_api_key`;
  const save = async () => {
    const body = { [name]: (await file?.text()) ?? '' };
    onSaved(await send<Config>({ method: 'PATCH', path, body, isQuiet: true }));
  };
  return (
    <Dialog title={`Credential for ${environment}`} onClose={onClose}>
      <Form verb="Save the credential" onSend={save} onCancel={onClose}>
        {(errors) => (
          <FileField
            label="Service account (.json)"
            hint="Firebase console: project settings, Service accounts, Generate new private key."
            accept=".json"
            onFile={setFile}
            error={errors[name]}
          />
        )}
      </Form>
    </Dialog>
  );
}

const kinds = [
  ['token', 'a token key (.p8)'],
  ['certificate', 'a certificate (.p12)'],
] as const;

/** Takes a token key or a certificate of Apple's. */
export function AppleCredential(props: CredentialDialogProps) {
  const [kind, setKind] = useState('token');
  const { environment, onClose } = props;
  return (
    <Dialog title={`Credential for ${environment}`} onClose={onClose}>
      <SelectField label="The credential is" value={kind} onValue={setKind} options={kinds} />
      {kind === 'token' ? <TokenKey {...props} /> : <Certificate {...props} />}
    </Dialog>
  );
}

const tokenFields = [
  ['key_id', 'Key id', 'Of the key, in the developer account.'],
  ['team_id', 'Team id', 'Under Membership in the developer account.'],
  ['bundle_identifier', 'Bundle identifier', 'Of the app, for example com.example.app.'],
] as const;

function TokenKey({ path, environment, onSaved, onClose }: CredentialDialogProps) {
  const [file, setFile] = useState<File>();
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({});
  const save = async () => {
    const named = tokenFields.map(([name]) => [`${environment}_${name}`, fields[name] ?? '']);
    const key = { [`${environment}_token_key`]: (await file?.text()) ?? '' };
    const body = { ...Object.fromEntries(named), ...key };
    onSaved(await send<Config>({ method: 'PATCH', path, body, isQuiet: true }));
  };
  return (
    <Form verb="Save the credential" onSend={save} onCancel={onClose}>
      {(errors) => (
        <>
          <FileField
            label="Token key (.p8)"
            accept=".p8"
            onFile={setFile}
            error={errors[`${environment}_token_key`]}
          />
          {tokenFields.map(([name, label, hint]) => (
            <TextField
              key={name}
              label={label}
              hint={hint}
              value={fields[name] ?? ''}
              onValue={(value) => setFields({ ...fields, [name]: value })}
              error={errors[`${environment}_${name}`]}
              input={{ required: true, autocomplete: 'off', spellcheck: false }}
            />
          ))}
        </>
      )}
    </Form>
  );
}

const certificateType = 'application/x-pkcs12'; // browsers do not know it everywhere

function Certificate({ path, environment, onSaved, onClose }: CredentialDialogProps) {
  const [file, setFile] = useState<File>();
  const name = `${environment}_certificate`;
  const save = async () => {
    const body = new FormData();
    if (file !== undefined) body.set(name, new File([file], file.name, { type: certificateType }));
    onSaved(await send<Config>({ method: 'PATCH', path, body, isQuiet: true }));
  };
  return (
    <Form verb="Save the credential" onSend={save} onCancel={onClose}>
      {(errors) => (
        <FileField
          label="Certificate (.p12)"
          hint="Exported from the keychain with its key, with an empty pass phrase."
          accept=".p12"
          onFile={setFile}
          error={errors[name]}
        />
      )}
    </Form>
  );
}
