import { send } from '../../core/api.ts';
import { useRecord } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import { href, type ScreenProps } from '../../core/router.ts';
import { Card } from '../../parts/card.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { AreaField, CheckField, SelectField } from '../../parts/form.tsx';
import { LeavesNote } from '../../parts/leaves-note.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { userType } from '../users/user-data.ts';
import { Letters } from './letters.tsx';
import { Providers } from './providers.tsx';
import {
  type SettingsPartProps,
  type UserSettings,
  userSettingsPath,
} from './user-settings-data.ts';

/** How the users of an instance register and log in: addresses, services and mails. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const path = userSettingsPath(instance);
  const settings = useRecord<UserSettings>(path);
  const save = async (body: object) => {
    // a change may have the secret of a service: it is not shown in the API panel
    settings.setData(await send<UserSettings>({ method: 'PATCH', path, body, isQuiet: true }));
    notify('Saved.');
  };
  return (
    <ScreenFrame
      title="User log-in"
      about="How people register and log in to your app. Everything is off until you switch it on."
      above={[{ text: 'Users', href: href(userType.place(instance)) }]}
    >
      <LeavesNote of="user mail" />
      <LoadedData of={settings}>
        {(data) => (
          <>
            <Addresses settings={data} instance={instance} onSave={save} />
            <Providers settings={data} instance={instance} onSave={save} />
            <Letters settings={data} instance={instance} onSave={save} />
          </>
        )}
      </LoadedData>
    </ScreenFrame>
  );
}

const emailOptions: readonly (readonly [UserSettings['email'], string])[] = [
  ['off', 'Off: users have no address'],
  ['optional', 'Optional'],
  ['required', 'Required to register'],
];

const confirmOptions: readonly (readonly [UserSettings['confirmed'], string])[] = [
  ['required', 'Must be confirmed by its owner'],
  ['optional', 'Is used without confirmation'],
];

function Addresses({ settings, onSave }: SettingsPartProps) {
  const { email, confirmed, guests } = settings;
  return (
    <Card title="Addresses and log-ins" id="addresses">
      <DraftForm
        start={{
          email,
          confirmed,
          guests,
          codes: settings.codes,
          redirects: settings.redirects.join('\n'),
        }}
        verb="Save"
        onSend={({ codes, redirects, ...values }) =>
          onSave({
            ...values,
            codes: codes && values.email !== 'off', // without addresses it is not shown
            redirects: linesOf(redirects),
          })
        }
      >
        {({ values, text, check }) => (
          <>
            <SelectField label="E-mail addresses" options={emailOptions} {...text('email')} />
            {values.email !== 'off' && (
              <>
                <SelectField
                  label="A new address"
                  hint="With confirmation, responses never reveal whether an address has an account. Without it, a taken address is a visible error."
                  options={confirmOptions}
                  {...text('confirmed')}
                />
                <CheckField
                  label="Log-in with a code by mail"
                  hint="Six digits, valid for ten minutes."
                  {...check('codes')}
                />
              </>
            )}
            <CheckField
              label="Guests"
              hint="Guests have no name and no password. They keep their objects when they register."
              {...check('guests')}
            />
            <AreaField
              label="App addresses, one per line"
              hint="Mail links and log-ins lead only to exactly these, for example https://app.example.com/confirm or com.example.app:/done."
              isCode
              {...text('redirects')}
            />
          </>
        )}
      </DraftForm>
    </Card>
  );
}

/** Returns the lines of a text that are not empty. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '');
}
