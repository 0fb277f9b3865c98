import { at } from '../../../shared/values/text/request-path.ts';
import { formatDuration } from '../../core/format.ts';
import { href, type ScreenProps } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { LeavesNote } from '../../parts/leaves-note.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { usePages } from '../../parts/paged.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { DeadLetterList } from './dead-letters.tsx';
import { AttentionLine, InstanceFigures, useFailures } from './findings.tsx';
import type { DeadLetterRecord } from './operation-data.ts';
import { type RecentRun, runHref, sourcesPerKind } from './runs.ts';

const shownRuns = 50;

/** Whether the server works, and which runs of code and effects of changes failed. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const failures = useFailures(instance);
  const letters = usePages<DeadLetterRecord>(at`instances/${instance}/dead_letters/`);
  const refresh = () => {
    failures.reload();
    letters.reload();
  };
  return (
    <ScreenFrame title="Health" actions={<Button onAct={refresh} text="Refresh" />}>
      <LoadedData of={failures}>
        {(failed) => (
          <>
            <AttentionLine instance={instance} failures={failed} />
            <InstanceFigures instance={instance} failures={failed} />
            <Facts
              rows={[
                ['Scripts', isolationTexts[failed.isolation ?? ''] ?? failed.isolation],
                ['Mails', <LeavesNote key="mail" of="mail" />],
                ['Pushes', <LeavesNote key="push" of="push" />],
              ]}
            />
            <FailedRuns instance={instance} runs={failed.runs} />
          </>
        )}
      </LoadedData>
      <h2>Failed jobs</h2>
      <p class="about">
        A job is work that a change of data starts, such as a run of a trigger. These failed at
        every attempt: retry them, or their effect stays missing. They are kept for 30 days.
      </p>
      <DeadLetterList instance={instance} letters={letters} />
    </ScreenFrame>
  );
}

const isolationTexts: Readonly<Record<string, string>> = {
  bubblewrap: 'Isolated by bubblewrap: each run has its own file system and process space',
  landlock: 'Isolated by Landlock: the kernel denies files and processes of others',
  flags: "Isolated by Node's permission flags only: install bubblewrap",
  lambda: 'Isolated by Lambda: each script has its own function',
};

interface FailedRunsProps {
  readonly instance: string;
  /** Undefined: they may not be seen. */
  readonly runs: readonly RecentRun[] | undefined;
}

function FailedRuns({ instance, runs }: FailedRunsProps) {
  return (
    <>
      <h2>Failed runs</h2>
      <p class="about">
        In 24 hours, among the latest 100 runs of up to {sourcesPerKind} scripts, endpoints,
        triggers and schedules each.
      </p>
      {runs === undefined || runs.length === 0 ? (
        <p class="soft">{runs === undefined ? 'You have no access to them.' : 'No failed runs.'}</p>
      ) : (
        <Table
          caption="Failed runs, the latest first"
          keyOf={({ screen, id }) => `${screen} ${id}`}
          rows={runs.slice(0, shownRuns)}
          columns={[
            {
              name: 'Run',
              cell: (run) => <a href={runHref(instance, run)}>{run.text}</a>,
            },
            { name: 'Status', cell: ({ status }) => <span class="badge bad">{status}</span> },
            { name: 'Time', cell: ({ executed_at: time }) => <Time value={time} /> },
            {
              name: 'Duration',
              isNumber: true,
              cell: ({ duration }) => duration !== null && formatDuration(duration),
            },
            {
              name: 'Request',
              cell: ({ request_id: request }) =>
                request && (
                  <a href={href(at`/i/${instance}/requests`, { request_id: request, request })}>
                    Show the request
                  </a>
                ),
            },
          ]}
        />
      )}
    </>
  );
}
