/** Those of the thousand most common passwords that have 8 characters and more, in lower case, separated by spaces. */
export const commonPasswords: string;

/** Value of esbuild's `define`, which passes them to weak-passwords.ts. */
export const define: { readonly COMMON_PASSWORDS: string };

/** Absolute path of this module. */
export const program: string;
