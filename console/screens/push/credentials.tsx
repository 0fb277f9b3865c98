import { useState } from 'preact/hooks';
import { below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { useRecord } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import type { SentRequest } from '../../core/roles.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Facts } from '../../parts/facts.tsx';
import { LeavesNote } from '../../parts/leaves-note.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { AppleCredential, GoogleCredential } from './credential-dialogs.tsx';
import {
  type Config,
  environments,
  type PushService,
  type ShownPushEnvironment,
} from './push-data.ts';

interface CredentialsProps {
  readonly service: PushService;
  readonly base: RequestPath;
}

/** What messages are sent with, for development and production. */
export function Credentials({ service, base }: CredentialsProps) {
  const path = below(base)`config/`;
  const config = useRecord<Config>(path);
  const [changed, setChanged] = useState<ShownPushEnvironment>();
  const Change = service === 'gcm' ? GoogleCredential : AppleCredential;
  const show = (data: Config, text: string) => {
    config.setData(data);
    notify(text);
  };
  return (
    <Card title="Credentials" id="credentials">
      <p class="hint">Stored encrypted and never shown again.</p>
      <LeavesNote of="push" />
      <LoadedData of={config}>
        {(data) => (
          <Facts
            rows={environments.map(([environment, label]) => [
              label,
              <Credential
                key={environment}
                label={label}
                texts={textsOf(service, data, environment)}
                sends={{ method: 'PATCH', path }}
                onChange={() => setChanged(environment)}
                onRemove={async () => {
                  const isSure = await confirm({
                    title: 'Remove credential',
                    text: `Messages for ${environment} cannot be sent without it.`,
                    verb: 'Remove credential',
                  });
                  if (!isSure) return;
                  show(await remove(path, service, environment), 'Credential removed.');
                }}
              />,
            ])}
          />
        )}
      </LoadedData>
      {changed !== undefined && (
        <Change
          path={path}
          environment={changed}
          onSaved={(data) => {
            show(data, 'Credential saved.');
            setChanged(undefined);
          }}
          onClose={() => setChanged(undefined)}
        />
      )}
    </Card>
  );
}

interface CredentialProps {
  readonly label: string;
  /** Empty: there is none. */
  readonly texts: readonly string[];
  readonly sends: SentRequest;
  readonly onChange: () => void;
  readonly onRemove: () => Promise<void>;
}

function Credential({ label, texts, sends, onChange, onRemove }: CredentialProps) {
  return (
    <div class="actions">
      {texts.length === 0 ? <span class="soft">None</span> : <span>{texts.join(', ')}</span>}
      <Button
        class="small"
        sends={sends}
        onAct={onChange}
        aria-label={`Set credential for ${label.toLowerCase()}`}
        text="Set…"
      />
      {texts.length > 0 && (
        <Button
          class="small danger"
          sends={sends}
          onAct={onRemove}
          aria-label={`Remove credential for ${label.toLowerCase()}`}
          text="Remove…"
        />
      )}
    </div>
  );
}

function textsOf(
  service: PushService,
  config: Config,
  environment: ShownPushEnvironment,
): string[] {
  const at = (name: string) => config[`${environment}_${name}`];
  if (service === 'gcm') return at('api_key') ? [String(at('api_key'))] : [];
  return [
    ...(at('token_key') ? [String(at('token_key'))] : []),
    ...(at('certificate') ? [`certificate, valid until ${at('expiration_date')}`] : []),
    ...(at('bundle_identifier') && (at('token_key') || at('certificate'))
      ? [`for ${at('bundle_identifier')}`]
      : []),
  ];
}

async function remove(
  path: RequestPath,
  service: PushService,
  environment: ShownPushEnvironment,
): Promise<Config> {
  if (service === 'gcm') {
    return send({ method: 'PATCH', path, body: { [`${environment}_api_key`]: null } });
  }
  const certificate = { [`${environment}_certificate`]: true };
  await send({ method: 'POST', path: below(path)`remove_certificate/`, body: certificate });
  return send({ method: 'PATCH', path, body: { [`${environment}_token_key`]: null } });
}
