/** Name of a child process's program: its folder below `shared/runtimes`. */
export type ChildProgram = 'templates' | 'certificates' | 'pictures';

/** All of them. */
export const childPrograms: readonly ChildProgram[];

/**
 * Bundles the program of a child process unless its bundle is fresh, in about 0.1 s.
 *
 * @param root folder of the project, with a slash at the end
 * @returns path of the bundle
 * @throws Error when a source cannot be parsed, or the folder cannot be written
 */
export function bundleChild(root: string, name: ChildProgram): Promise<string>;
