import { at } from '../../../shared/values/text/request-path.ts';
import { CodesForm } from './codes-form.tsx';

/** Confirms the address of an account with the codes of a mail. */
export function Screen() {
  return <CodesForm title="Confirm your address" verb="Confirm" path={at`account/activate/`} />;
}
