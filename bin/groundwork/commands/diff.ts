import { messageOf } from '../../../shared/values/caught.ts';
import { OperatorUsageError } from '../../operator/terminal.ts';
import { type AddCommand, withInstance } from '../command.ts';
import { currentProject, wantedSections } from '../project/files/project.ts';
import { readInstance, warnOfShared } from '../project/push/instance-state.ts';
import { changesBetween } from '../project/push/plan.ts';
import { changeTable, reportOf } from '../project/push/report.ts';
import { projectFolder } from '../project-folder.ts';
import { type ConnectionOptions, connectInstance } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

interface DiffOptions extends ConnectionOptions {
  readonly only?: string;
}

/** Adds `diff`: compares the project with an instance. */
export const addDiff: AddCommand = (program, terminal) => {
  withInstance(program.command('diff'))
    .description('compare the project with the instance')
    .option('--only <sections>', 'only these sections, separated by commas: classes,scripts')
    .addHelpText(
      'after',
      '\nEnds with 0 when nothing differs, 2 when something does, 1 after a failure.',
    )
    .addHelpText('after', '\nExample:\n  groundwork diff --only classes')
    .action((options: DiffOptions) => diff(options, terminal()));
};

const exitDifferent = 2;

async function diff(options: DiffOptions, out: Terminal): Promise<void> {
  try {
    const connection = connectInstance(options);
    const project = await currentProject(projectFolder(), out);
    const wanted = wantedSections(project, options.only);
    const instance = await readInstance(connection, wanted);
    warnOfShared(instance, out);
    const changes = changesBetween(project.state, instance.state, wanted);
    out.result(
      changes.map((change) => reportOf(change)),
      () => changeTable(out, changes),
    );
    if (changes.length > 0) process.exitCode = exitDifferent;
  } catch (error) {
    if (!(error instanceof OperatorUsageError)) throw error;
    throw new Error(messageOf(error), { cause: error }); // 2 means that something differs
  }
}
