import { byName, idKey, ofInstance } from '../key-parts.ts';
import { entity } from '../kind.ts';
import type { DataEndpointData, NamedPositionData, TemplateData } from '../records/records.ts';
import type { ScriptEndpointData, ScriptEndpointPositionData } from '../records/scripts.ts';
import { tracesOf } from './runs.ts';

/** A data endpoint. One whose class was deleted, or created again, is treated as absent. */
export const dataEndpointEntity = entity<DataEndpointData>('data-endpoint').keyed(
  ofInstance,
  'DATAENDPOINT#',
  byName,
  { belongsTo: 'contents', counter: 'data-endpoint', shownAs: 'data_endpoint' },
);

/** Data endpoints in order of creation, which is the order of their list. */
export const dataEndpointPositionEntity = entity<NamedPositionData>('data-endpoint-row').keyed(
  ofInstance,
  'DATAENDPOINTROW#',
  idKey,
  { belongsTo: 'contents' },
);

/** A script endpoint. One whose script was deleted is treated as absent. */
export const scriptEndpointEntity = entity<ScriptEndpointData>('script-endpoint').keyed(
  ofInstance,
  'SCRIPTENDPOINT#',
  byName,
  { belongsTo: 'contents', counter: 'endpoint', shownAs: 'script_endpoint' },
);

/** Script endpoints in order of creation, which is the order of their list; public links name the list position. */
export const scriptEndpointPositionEntity = entity<ScriptEndpointPositionData>(
  'script-endpoint-row',
).keyed(ofInstance, 'SCRIPTENDPOINTROW#', idKey, {
  belongsTo: 'contents',
  below: tracesOf('endpoint'),
});

/**
 * A template. The predefined ones of every instance are stored only when they are changed or removed, and exist before.
 */
export const templateEntity = entity<TemplateData>('template').keyed(
  ofInstance,
  'TEMPLATE#',
  byName,
  { belongsTo: 'contents', counter: 'template', shownAs: 'template' },
);

/** Templates in order of creation, which is the order of their list. */
export const templatePositionEntity = entity<NamedPositionData>('template-row').keyed(
  ofInstance,
  'TEMPLATEROW#',
  idKey,
  { belongsTo: 'contents' },
);

/** The kinds of what is found by name, in a list of its own order. */
export const endpointKinds = [
  dataEndpointEntity,
  dataEndpointPositionEntity,
  scriptEndpointEntity,
  scriptEndpointPositionEntity,
  templateEntity,
  templatePositionEntity,
] as const;
