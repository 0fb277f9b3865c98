import type { ComponentChildren } from 'preact';
import { Mark } from '../../parts/mark.tsx';
import { ScreenFrame } from '../../parts/page.tsx';

interface AccountCardProps {
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A screen that works without a session: a card in the middle of the window. */
export function AccountCard(props: AccountCardProps) {
  return (
    <div class="card account-card">
      <Mark />
      <ScreenFrame {...props} />
    </div>
  );
}
