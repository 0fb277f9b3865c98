import { send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import type { Account } from './account-data.ts';

/** The account that is signed in. */
export function Screen() {
  const account = useLoad<Account>(
    (signal) => send({ method: 'GET', path: 'account/', signal, isOwn: true }),
    [],
  );
  return (
    <Page title="Your account">
      <Loaded of={account}>{({ email }) => <p>{email}</p>}</Loaded>
    </Page>
  );
}
