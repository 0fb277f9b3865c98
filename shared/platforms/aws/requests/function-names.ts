/**
 * Returns the name of a family's function.
 *
 * @param prefix that of the deployment: `groundwork-prod`
 */
export function familyFunctionName(prefix: string, family: string): string {
  return `${prefix}-${family}`;
}
