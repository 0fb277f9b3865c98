/** Aliases of API keys in an instance: requests read the record that holds them (docs/reference/keys.md#aliases). */
export const maxAliases = 20;
