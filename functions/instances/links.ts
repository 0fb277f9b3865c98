import type { Link } from '../../shared/core/resource/links.ts';
import type { Version } from '../../shared/core/routing/versions.ts';

const onlyNew: readonly Version[] = ['v1.1'];
const onlyOld: readonly Version[] = ['v1'];

/** Returns a link to a list below the instance. */
function list(name: string, path = `${name}/`, versions?: readonly Version[]): Link<unknown> {
  return { name, type: 'list', to: path, ...(versions && { versions }) };
}

/**
 * Links of an instance: all that the interface document and the clients know
 * (docs/reference/instances.md#links-of-an-instance).
 */
export const instanceLinks: readonly Link<unknown>[] = [
  { name: 'self', type: 'detail', to: '' },
  list('admins'),
  list('snippets', 'snippets/', onlyNew),
  list('endpoints', 'endpoints/', onlyNew),
  list('push_notification', 'push_notifications/'),
  list('classes'),
  list('invitations'),
  list('api_keys'),
  list('triggers'),
  list('schedules'),
  list('users'),
  list('groups'),
  list('channels'),
  { name: 'batch', type: 'batch', to: 'batch/' },
  { name: 'rename', type: 'rename', to: 'rename/' },
  list('scripts', 'snippets/scripts/', onlyNew),
  list('script_runtimes', 'snippets/scripts/runtimes/', onlyNew),
  list('backups'),
  list('restores'),
  list('codeboxes', 'codeboxes/', onlyOld),
  list('runtimes', 'codeboxes/runtimes/', onlyOld),
  list('webhooks', 'webhooks/', onlyOld),
  list('hla_objects', 'api/objects/', onlyOld),
  list('templates', 'snippets/templates/', onlyOld),
];
