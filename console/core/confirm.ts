import { signal } from '@preact/signals';

/** What a user has to agree to. */
export interface ConfirmQuestion {
  readonly title: string;
  readonly text: string;
  /** Label of the button that does it, a verb. */
  readonly verb: string;
  /** Has to be typed, for what cannot be undone. */
  readonly name?: string;
}

/** Receives what was typed when the user agrees; undefined when not. */
export type Answer = (typed: string | undefined) => void;

/** The question that is asked now; `Confirmation` shows it. */
export const asked = signal<{ question: ConfirmQuestion; answer: Answer } | undefined>(undefined);

/** Asks before something is done; resolves with whether the user agrees. */
export async function confirm(question: ConfirmQuestion): Promise<boolean> {
  return (await ask(question)) !== undefined;
}

/** Asks as `confirm` does; resolves with the name that the user has typed, or undefined. */
export function confirmName(question: ConfirmQuestion & { readonly name: string }) {
  return ask(question);
}

function ask(question: ConfirmQuestion): Promise<string | undefined> {
  return new Promise((resolve) => {
    const answer: Answer = (typed) => {
      asked.value = undefined;
      resolve(typed);
    };
    asked.value = { question, answer };
  });
}
