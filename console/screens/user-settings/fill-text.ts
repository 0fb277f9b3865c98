/** Variables of letters, as the mails of an instance could have them. */
export function sampleVariables(instance: string): Readonly<Record<string, string>> {
  return {
    app: instance,
    minutes: '60',
    code: '123456',
    email: 'ada…@example.com',
    link: 'https://app.example.com/confirm?token=…',
  };
}

/**
 * Fills plain variables into a template, for a preview while it is typed: `{{ app }}`. Filters and tags, which only the
 * server renders, stay as they are.
 *
 * @returns `isWhole`: nothing is left to fill
 */
export function fillText(template: string, variables: Readonly<Record<string, string>>) {
  const text = template.replace(/\{\{\s*(\w+)\s*\}\}/g, (found, name: string) =>
    Object.hasOwn(variables, name) ? String(variables[name]) : found,
  );
  return { text, isWhole: !/\{[{%#]/.test(text) };
}
