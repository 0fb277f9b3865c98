import { useState } from 'preact/hooks';
import type { RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FileField, Form, SelectField, TextField } from '../../parts/form.tsx';
import type { Config, ShownPushEnvironment } from './push-data.ts';

interface CredentialDialogProps {
  /** Of the configuration of a service. */
  readonly path: RequestPath;
  readonly environment: ShownPushEnvironment;
  readonly onSaved: (config: Config) => void;
  readonly onClose: () => void;
}

/** Takes a service account of Google's. */
export function GoogleCredential(props: CredentialDialogProps) {
  const name = `${props.environment}_api_key`;
  return (
    <Dialog title={`Credential for ${props.environment}`} onClose={props.onClose}>
      <FileForm
        {...props}
        name={name}
        label="Service account (.json)"
        hint="Firebase console: project settings, Service accounts, Generate new private key."
        accept=".json"
        toBody={async (file) => ({ [name]: await file.text() })}
      />
    </Dialog>
  );
}

interface FileFormProps extends CredentialDialogProps {
  /** Field of the configuration that takes the credential. */
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly accept: string;
  /** Returns the body that saves the file. */
  readonly toBody: (file: File) => unknown;
}

/** Takes a credential that is one file. Requests with credentials are not shown in the API panel. */
function FileForm({ name, label, hint, accept, ...form }: FileFormProps) {
  const { path, toBody, onSaved, onClose } = form;
  const [file, setFile] = useState<File>();
  const save = async () => {
    if (file === undefined) return; // the field requires one
    const body = await toBody(file);
    onSaved(await send<Config>({ method: 'PATCH', path, body, isQuiet: true }));
  };
  return (
    <Form verb="Save" onSend={save} onCancel={onClose}>
      {(errors) => <FileField {...{ label, hint, accept }} onFile={setFile} error={errors[name]} />}
    </Form>
  );
}

const kinds = [
  ['token', 'Token key (.p8)'],
  ['certificate', 'Certificate (.p12)'],
] as const;

/** Takes a token key or a certificate of Apple's. */
export function AppleCredential(props: CredentialDialogProps) {
  const [kind, setKind] = useState('token');
  const { environment, onClose } = props;
  return (
    <Dialog title={`Credential for ${environment}`} onClose={onClose}>
      <SelectField label="Kind" value={kind} onValue={setKind} options={kinds} />
      {kind === 'token' ? <TokenKey {...props} /> : <Certificate {...props} />}
    </Dialog>
  );
}

const tokenFields = [
  ['key_id', 'Key id', 'The id of the key, in your Apple developer account.'],
  ['team_id', 'Team id', 'Under Membership in your Apple developer account.'],
  ['bundle_identifier', 'Bundle identifier', 'For example com.example.app.'],
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
    <Form verb="Save" onSend={save} onCancel={onClose}>
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

function Certificate(props: CredentialDialogProps) {
  const name = `${props.environment}_certificate`;
  const toBody = async (file: File) => {
    const body = new FormData();
    body.set(name, new File([await file.arrayBuffer()], file.name, { type: certificateType }));
    return body;
  };
  return (
    <FileForm
      {...props}
      name={name}
      label="Certificate (.p12)"
      hint="Exported from the keychain with its key, with an empty pass phrase."
      accept=".p12"
      toBody={toBody}
    />
  );
}
