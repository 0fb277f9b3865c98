import { weaknessOf } from '../../../shared/values/passwords/weak-passwords.ts';
import { ApiProblem } from '../../core/api.ts';

/**
 * Checks a new password before it is sent.
 *
 * @throws ApiProblem at `field` for one that is too easy to guess
 */
export function checkNewPassword(field: string, password: string): void {
  const weakness = weaknessOf(password);
  if (weakness !== undefined) {
    throw new ApiProblem(0, 'The password is too easy to guess.', { [field]: weakness });
  }
}
