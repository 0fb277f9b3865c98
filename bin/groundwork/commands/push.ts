import { type AddCommand, withInstance } from '../command.ts';
import { currentProject } from '../project/files/project.ts';
import { type PushOptions, pushProject } from '../project/push/push.ts';
import { projectFolder } from '../project-folder.ts';
import { type ConnectionOptions, connectInstance } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

/** Adds `push`: makes an instance what the project describes. */
export const addPush: AddCommand = (program, terminal) => {
  withInstance(program.command('push'))
    .description('change the instance to what groundwork.yml and scripts/ describe')
    .option('--dry-run', 'show the changes, and make none')
    .option('--prune', 'delete what the project does not have, and fields with their values')
    .option('--only <sections>', 'sections with commas between them: classes,scripts')
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
