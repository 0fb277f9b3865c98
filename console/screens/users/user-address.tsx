import { Time } from '../../parts/time.tsx';
import type { User } from './user-data.ts';

/** Whether a user has an address, or is a guest. */
export function hasAddress({ email, guest_until: guestUntil }: User): boolean {
  return (email ?? guestUntil ?? null) !== null;
}

/** The address of a user with its state, and the end of a guest. */
export function UserAddress({ user }: { readonly user: User }) {
  const { email, is_email_confirmed: isConfirmed, guest_until: guestUntil } = user;
  return (
    <>
      {email && (
        <>
          {email}{' '}
          <span class={`badge ${isConfirmed ? 'good' : ''}`}>
            {isConfirmed ? 'confirmed' : 'not confirmed'}
          </span>
        </>
      )}
      {guestUntil && (
        <>
          <span class="badge">guest</span> ends <Time value={guestUntil} />
        </>
      )}
    </>
  );
}
