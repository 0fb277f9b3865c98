import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { type ApiPage, send, urlOf } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import type { ApiRequest } from '../../core/request.ts';
import { Card } from '../../parts/card.tsx';
import { CodeSamples, requestSamples, typedSample } from '../../parts/code-samples.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { Table } from '../../parts/table.tsx';
import { type ClassRecord, fetchClass } from '../data/class-data.ts';
import { Cell } from '../objects/grid/cell.tsx';
import { type LoadedRow, toRow } from '../objects/grid/rows.ts';
import { LabelsContext, makeLabels } from '../objects/labels.ts';
import { columnsOf, type ObjectRecord } from '../objects/object-data.ts';
import { type DataEndpoint, splitNames } from './data-endpoint-data.ts';

const sampleSize = 5;

interface EndpointPreviewProps {
  readonly instance: string;
  readonly endpoint: DataEndpoint;
}

/** The first objects of a data endpoint, and how to call it. */
export function EndpointPreview({ instance, endpoint }: EndpointPreviewProps) {
  const call: ApiRequest = {
    method: 'GET',
    path: at`instances/${instance}/endpoints/data/${endpoint.name}/get/`,
  };
  const typed = `const { objects } = await db.endpoints[${JSON.stringify(endpoint.name)}].list();`;
  const preview = useLoad(
    async (signal) => {
      const query = { page_size: sampleSize };
      const [record, { objects }] = await Promise.all([
        fetchClass(instance, endpoint.class),
        send<ApiPage<ObjectRecord>>({ ...call, query, signal }),
      ]);
      return { record, objects };
    },
    [call.path, endpoint],
  );
  return (
    <>
      <h2>The first {sampleSize} objects</h2>
      <LoadedData of={preview}>
        {({ record, objects }) =>
          objects.length === 0 ? (
            <Empty>
              <p>No object matches.</p>
            </Empty>
          ) : (
            <Preview {...{ instance, endpoint, record, objects }} />
          )
        }
      </LoadedData>
      <Card title="Call it">
        <p class="address">
          <code>GET {urlOf(call)}</code>
        </p>
        <CodeSamples label="Call it" samples={requestSamples(call, typedSample(typed))} />
      </Card>
    </>
  );
}

interface PreviewProps extends EndpointPreviewProps {
  readonly record: ClassRecord;
  readonly objects: readonly ObjectRecord[];
}

/** Objects in the cells of the grid; those in the place of references are JSON. */
function Preview({ instance, endpoint, record, objects }: PreviewProps) {
  const ofClass = { instance, className: record.name };
  const [labels] = useState(() => makeLabels(instance));
  const expanded = splitNames(endpoint.expand);
  const all = columnsOf(record).filter(({ name }) => objects.some((object) => name in object));
  const columns = all
    .filter(({ isSystem }) => !isSystem)
    .map((column) =>
      expanded.includes(column.name) ? { ...column, type: 'object' as const } : column,
    );
  return (
    <LabelsContext.Provider value={labels}>
      <div class="cells">
        <Table
          caption={`The first ${sampleSize} objects`}
          columns={[
            { name: 'id', cell: ({ object }) => object.id },
            ...columns.map((column) => ({
              name: column.name,
              isNumber: column.type === 'integer' || column.type === 'float',
              cell: ({ object, cut }: LoadedRow) => (
                <Cell
                  ofClass={ofClass}
                  column={column}
                  value={object[column.name]}
                  isCut={cut.includes(column.name)}
                />
              ),
            })),
          ]}
          rows={objects.map((object) => toRow(object, columns))}
          keyOf={({ object }) => object.id}
        />
      </div>
    </LabelsContext.Provider>
  );
}
