/**
 * Checks whether a session of a user was not ended, by disuse or by a new key of the user. Ended ones may still be stored:
 * items expire late.
 */
export function isOpenSession(
  { generation, until }: { readonly generation: number; readonly until: number },
  user: { readonly generation: number },
  nowSeconds: number,
): boolean {
  return generation === user.generation && until > nowSeconds;
}
