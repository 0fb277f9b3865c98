import { invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';

/**
 * Reads the id of a message.
 *
 * @param text as sent; undefined or empty: none
 * @throws ApiError 400 for the field `last_id`
 */
export function readLastId(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^[+-]?\d{1,15}$/.test(text)) throw invalid({ last_id: [messages.notInteger] });
  return Math.max(0, Number(text));
}
