import type { Share } from '../../shared/ports/limits/fair-queue.ts';
import { type Mail, MailError, type Mailer, type MailResult } from '../../shared/ports/ports.ts';

/** How an attempt to send ends; the hand-over happens before the outcome unless it says otherwise. */
export type Step = 'sent' | 'before' | 'dies' | 'dies before' | MailError['outcome'];

/** A mailer with a queue that ends its attempts as the steps say, then sends. */
export function openStepMailer(steps: Step[] = []) {
  const sent: Mail[] = [];
  const results: MailResult[] = [];
  const shares: (Share | undefined)[] = [];
  const mailer: Mailer = {
    delivery: 'queue',
    count: (result) => results.push(result),
    send: async (mail, { handOver = () => Promise.resolve(), share } = {}) => {
      shares.push(share);
      const step = steps.shift() ?? 'sent';
      if (step === 'dies before') throw new Error('the process died');
      if (step === 'before') throw new MailError('temporary', 'the mail server responded 451');
      await handOver();
      if (step === 'dies') throw new Error('the process died');
      if (step !== 'sent') throw new MailError(step, `the mail server: ${step}`);
      sent.push(mail);
    },
  };
  return { mailer, sent, results, shares };
}
