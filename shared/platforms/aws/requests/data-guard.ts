import type { Dispatch } from '../../../core/http/message.ts';
import type { Platform } from '../../../ports/ports.ts';
import { checkDataVersion, dataVersion, NewerData } from '../../../table/data-version.ts';
import { detailError } from '../../../values/errors/errors.ts';

const detail = 'The data of this server are of a newer version of its software.';

/** Checks whether this process knows the data. */
export interface DataGuard {
  /** Checks the data, once in the process if the table responds. Never rejects. */
  check(): Promise<boolean>;
  /** Returns a dispatch that responds with 503 to each request when the data are of a newer version. */
  guard(dispatch: Dispatch): Dispatch;
}

/**
 * Opens the check of the data version of a function's process. Newer data are reported to the operator once.
 *
 * @param known the newest version that this process knows
 */
export function openDataGuard(
  { store, log }: Pick<Platform, 'store' | 'log'>,
  known = dataVersion,
): DataGuard {
  let checked: Promise<boolean> | undefined;
  const check = async () => {
    try {
      await checkDataVersion(store, known);
      return true;
    } catch (error) {
      if (error instanceof NewerData) {
        log({ level: 'error', message: 'the data are of a newer version', cause: error.message });
        return false;
      }
      checked = undefined; // the table does not respond: the request itself will fail, and the next one checks again
      return true;
    }
  };
  const checkOnce = () => {
    checked ??= check();
    return checked;
  };
  return {
    check: checkOnce,
    guard: (dispatch) => async (request) => {
      if (!(await checkOnce())) throw detailError(503, detail, 'data_too_new');
      return dispatch(request);
    },
  };
}
