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

/** The question that is asked now, and what gets the answer; `Confirmation` shows it. */
export const asked = signal<
  { readonly question: ConfirmQuestion; readonly answer: (isSure: boolean) => void } | undefined
>(undefined);

/** Asks before something is done; resolves with whether the user agrees. */
export function confirm(question: ConfirmQuestion): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (isSure: boolean) => {
      asked.value = undefined;
      resolve(isSure);
    };
    asked.value = { question, answer };
  });
}
