import { type AddCommand, withInstance } from '../command.ts';
import { currentProject } from '../project/files/project.ts';
import { type PushOptions, pushProject } from '../project/push/push.ts';
import { projectFolder } from '../project-folder.ts';
import { type ConnectionOptions, connectInstance } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

/** Adds `push`: makes an instance what the project describes. */
export const addPush: AddCommand = (program, terminal) => {
  withInstance(program.command('push'))
    .description('apply groundwork.yml and scripts/ to the instance')
    .option('--dry-run', 'show the changes without making them')
    .option('--prune', 'also delete records and fields that the project does not have')
    .option('--only <sections>', 'only these sections, separated by commas: classes,scripts')
    .addHelpText('after', '\nExample:\n  groundwork push --dry-run')
    .action((options: PushOptions & ConnectionOptions) => push(options, terminal()));
};

async function push(options: PushOptions & ConnectionOptions, out: Terminal): Promise<void> {
  const connection = connectInstance(options);
  const report = await pushProject(connection, await currentProject(projectFolder(), out), {
    options,
    out,
  });
  if (out.isJson) out.result(report, () => '');
}
