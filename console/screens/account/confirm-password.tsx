import { at } from '../../../shared/values/text/request-path.ts';
import { CodesForm } from './codes-form.tsx';

/** Sets a new password with the codes of a mail. The old password and the old key stop working. */
export function Screen() {
  const path = at`account/password/reset/confirm/`;
  return <CodesForm title="Set a new password" verb="Set password" path={path} hasPassword />;
}
