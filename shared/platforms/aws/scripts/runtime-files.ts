import type { AllRuntimeFiles } from './script-package.ts';

/** JSON, which replaces this name when the handler is bundled: lib/handler-bundle.ts. */
declare const SCRIPT_RUNTIME_FILES: string;

/** The files next to each script in its function. Only a bundle has them. */
export const runtimeFiles = JSON.parse(SCRIPT_RUNTIME_FILES) as AllRuntimeFiles; // of our own build
