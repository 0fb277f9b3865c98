/** A trigger, as the interface shows it. */
export interface Trigger {
  readonly id: number;
  readonly label: string;
  readonly description: string;
  readonly signal: TriggerSignal;
  readonly class: string;
  readonly script: number;
}

export type TriggerSignal = 'post_create' | 'post_update' | 'post_delete';

/** Signals in words. */
export const signalTexts: Readonly<Record<TriggerSignal, string>> = {
  post_create: 'created',
  post_update: 'changed',
  post_delete: 'deleted',
};

/** Returns how a trigger is called. */
export function triggerName({ id, label }: Pick<Trigger, 'id' | 'label'>): string {
  return label === '' ? `Trigger ${id}` : label;
}
