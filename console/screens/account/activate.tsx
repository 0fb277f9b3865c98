import { at } from '../../../shared/values/text/request-path.ts';
import { ScreenFrame } from '../../parts/page.tsx';
import { CodesForm } from './codes-form.tsx';

/** Confirms the address of an account with the codes of a mail. */
export function Screen() {
  return (
    <ScreenFrame
      title="Confirm your address"
      about="The link of the mail works once, within three days."
    >
      <CodesForm verb="Confirm" path={at`account/activate/`} />
    </ScreenFrame>
  );
}
