import { join } from 'node:path';
import { type AddCommand, withInstance } from '../command.ts';
import { readProject } from '../project/files/project.ts';
import { pullProject } from '../project/files/pull.ts';
import { readInstance, warnOfShared } from '../project/push/instance-state.ts';
import { projectFolder } from '../project-folder.ts';
import { type ConnectionOptions, connectInstance } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

/** Adds `pull`: writes the project file and the scripts of an instance. */
export const addPull: AddCommand = (program, terminal) => {
  withInstance(program.command('pull'))
    .description('download the set-up of the instance into groundwork.yml and scripts/')
    .addHelpText('after', '\nExample:\n  groundwork pull')
    .action((options: ConnectionOptions) => pull(options, terminal()));
};

async function pull(options: ConnectionOptions, out: Terminal): Promise<void> {
  const connection = connectInstance(options);
  const project = await readProject(projectFolder());
  const instance = await readInstance(connection, project.managed);
  warnOfShared(instance, out);
  const report = pullProject(project, instance.state);
  const shown = (path: string) => join(project.folder, path);
  for (const path of report.differing) {
    out.warn(
      `${shown(path)} is unchanged, although the instance has another source: it is bundled, and cannot be pulled`,
    );
  }
  for (const path of report.unused) out.warn(`${shown(path)} is no longer the file of a script`);
  out.result(report, () =>
    report.written.length === 0
      ? 'All files are up to date.'
      : report.written.map((path) => `Wrote ${shown(path)}`).join('\n'),
  );
}
