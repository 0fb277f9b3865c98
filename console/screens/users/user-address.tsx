import { Time } from '../../parts/time.tsx';
import type { User } from './user-data.ts';

/** Whether a user has an address, or is a guest. */
export function hasAddress({ email, guest_until: guestUntil, services = [] }: User): boolean {
  return (email ?? guestUntil ?? null) !== null || services.length > 0;
}

/** The address of a user with its state, and the end of a guest. */
export function UserAddress({ user }: { readonly user: User }) {
  const { email, is_email_confirmed: isConfirmed, guest_until: guestUntil, services = [] } = user;
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
      {services.map((name) => (
        <span key={name} class="badge">
          {name}
        </span>
      ))}
      {guestUntil && (
        <>
          <span class="badge">guest</span> ends <Time value={guestUntil} />
        </>
      )}
    </>
  );
}
