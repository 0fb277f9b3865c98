import { at } from '../../shared/values/text/request-path.ts';
import { send } from './api.ts';
import { type Loading, useLoad } from './load.ts';

/** What the deployment offers (docs/reference/responses.md#deployment). */
interface Deployment {
  readonly mail: 'sent' | 'logged';
  readonly push: 'sent' | 'outbox';
  /** What this client needs to register. */
  readonly sign_up: 'open' | 'set_up_code' | 'invitation';
}

/** Loads what the deployment offers. */
export function useDeployment(): Loading<Deployment> {
  return useLoad<Deployment>(
    (signal) => send({ method: 'GET', path: at`deployment/`, signal, isQuiet: true }),
    [],
  );
}

/** Whether mails leave the deployment; also until that is known. */
export function isMailSent(deployment: Deployment | undefined): boolean {
  return deployment?.mail !== 'logged';
}
