import { type Context, type LoadedOf, recordAt } from '../../shared/core/family.ts';
import { onlyFor } from '../../shared/core/resource/loads/loads.ts';
import { configEntity } from '../../shared/table/entities/instances.ts';
import { scriptSourceEntity } from '../../shared/table/entities/scripts.ts';

/**
 * Records that operations on a script need in addition to it: its source, and the configuration of the instance, since
 * full access in it affects who may change a script.
 */
export const scriptLoads = {
  source: onlyFor(['G', 'U'], recordAt(scriptSourceEntity, ['instance', '{id}'])),
  config: onlyFor(['U', 'C'], recordAt(configEntity, ['instance'])),
};

/** A request with these records. */
export type ScriptContext = Context<LoadedOf<typeof scriptLoads>>;
