import type { AllRuntimeFiles } from './script-package.ts';

/** Replaced by a literal when the handler is bundled: lib/handler-bundle.ts. */
declare const SCRIPT_RUNTIME_FILES: AllRuntimeFiles;

/** The files next to each script in its function. Only a bundle has them. */
export const runtimeFiles = SCRIPT_RUNTIME_FILES;
