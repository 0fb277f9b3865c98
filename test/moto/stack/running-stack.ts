import type { MotoPlace } from './account.ts';
import { adaptForMoto, deliveredByTests, unknownToMoto } from './adapted-template.ts';
import type { Assembly } from './assembly.ts';
import { type CreatedStack, createStack, uploadAssets } from './created-stack.ts';
import { makeStandIns } from './stand-ins.ts';

/**
 * Uploads the assets, and creates a stack whose event sources are left to the tests.
 *
 * @param secret text of the master secret; generated when absent
 */
export async function createRunningStack(
  place: MotoPlace,
  assembly: Assembly,
  secret?: string,
): Promise<CreatedStack> {
  await uploadAssets(place, assembly);
  const values = await makeStandIns(place, assembly.template, secret);
  const types = [...unknownToMoto, deliveredByTests];
  const { template } = adaptForMoto(assembly.template, values, types);
  return createStack(place, assembly.stackName, template);
}
