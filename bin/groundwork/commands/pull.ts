import { type AddCommand, withInstance } from '../command.ts';
import { readProject } from '../project/files/project.ts';
import { pullProject } from '../project/files/pull.ts';
import { readInstance, warnOfUnnamed } from '../project/push/instance-state.ts';
import { connectInstance, type ServerOptions } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

/** Adds `pull`: writes the project file and the scripts of an instance. */
export const addPull: AddCommand = (program, terminal) => {
  withInstance(program.command('pull'))
    .description('write groundwork.yml and scripts/ from the instance')
    .addHelpText('after', '\nExample:\n  groundwork pull')
    .action((options: ServerOptions) => pull(options, terminal()));
};

async function pull(options: ServerOptions, out: Terminal): Promise<void> {
  const connection = connectInstance(options);
  const project = await readProject('.');
  const instance = await readInstance(connection);
  warnOfUnnamed(instance, out);
  const report = pullProject(project, instance.state);
  for (const name of report.differing) {
    out.warn(
      `scripts.${name}: the instance has another source than its file makes; the file stays`,
    );
  }
  out.result(report, () =>
    report.written.length === 0
      ? 'All files are up to date.'
      : report.written.map((path) => `Wrote ${path}`).join('\n'),
  );
}
