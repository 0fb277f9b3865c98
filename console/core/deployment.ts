import { at } from '../../shared/values/text/request-path.ts';
import { send } from './api.ts';
import { type Loading, useLoad } from './load.ts';

/** What the deployment offers (docs/reference/responses.md#deployment). */
interface Deployment {
  readonly mail: 'sent' | 'logged';
  readonly push: 'sent' | 'outbox';
  /** What this client needs to register. */
  readonly sign_up: 'open' | 'set_up_code' | 'invitation';
  /** Absent for strangers. */
  readonly settings?: readonly {
    readonly name: string;
    readonly value: string | null;
    readonly meaning: string;
  }[];
}

/** Loads what the deployment offers. */
export function useDeployment(): Loading<Deployment> {
  return useLoad<Deployment>(
    (signal) => send({ method: 'GET', path: at`deployment/`, signal, isQuiet: true }),
    [],
  );
}

/** Returns the value of a setting that accounts may see; undefined: there is none, or it has no effect. */
export function publicValue(
  { settings = [] }: Pick<Deployment, 'settings'>,
  name: string,
): string | undefined {
  return settings.find((setting) => setting.name === name)?.value ?? undefined;
}

/** Whether mails leave the deployment; also until that is known. */
export function isMailSent(deployment: Deployment | undefined): boolean {
  return deployment?.mail !== 'logged';
}
