import { at } from '../../../shared/values/text/request-path.ts';
import { ScreenFrame } from '../../parts/page.tsx';
import { CodesForm } from './codes-form.tsx';

/** Sets a new password with the codes of a mail. The password and the key before end. */
export function Screen() {
  return (
    <ScreenFrame
      title="Set a new password"
      about="The link of the mail works once, within three days."
    >
      <CodesForm verb="Set the password" path={at`account/password/reset/confirm/`} hasPassword />
    </ScreenFrame>
  );
}
