import { type AddCommand, withInstance } from '../command.ts';
import { currentProject } from '../project/files/project.ts';
import {
  ProjectPushError,
  type PushOptions,
  type PushReport,
  pushProject,
} from '../project/push/push.ts';
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
  const project = await currentProject(projectFolder(), out);
  const print = (report: PushReport) => out.isJson && out.result(report, () => '');
  try {
    print(await pushProject(connection, project, { options, out }));
  } catch (error) {
    if (error instanceof ProjectPushError) print(error.report);
    throw error;
  }
}
