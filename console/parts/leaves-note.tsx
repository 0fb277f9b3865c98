import { publicValue, useDeployment } from '../core/deployment.ts';

interface LeavesNoteProps {
  /** What the screen depends on; `user mail`: mails to the users of an instance. */
  readonly of: 'mail' | 'user mail' | 'push';
}

/** Says whether mails or pushes leave the server; nothing before that is known. */
export function LeavesNote({ of }: LeavesNoteProps) {
  const { data } = useDeployment();
  if (data === undefined) return null;
  if (of === 'push') {
    return data.push === 'sent' ? (
      <p class="hint">Pushes are sent from this server.</p>
    ) : (
      <p class="hint">
        This server sends no pushes: it writes them to a file of its operator, until{' '}
        <code>GROUNDWORK_PUSH_MODE</code> is <code>send</code>.
      </p>
    );
  }
  if (of === 'user mail' && publicValue(data, 'GROUNDWORK_USER_MAIL') === 'off') {
    return (
      <p class="hint">
        This server sends no mails to users: its operator has not set{' '}
        <code>GROUNDWORK_USER_MAIL</code> to <code>on</code>.
      </p>
    );
  }
  return (
    <p class="hint">
      {data.mail === 'sent'
        ? 'Mails are sent from this server.'
        : 'This server sends no mails: it writes them into the log of its operator.'}
    </p>
  );
}
