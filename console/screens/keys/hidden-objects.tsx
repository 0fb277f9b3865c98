import type { ComponentChildren } from 'preact';
import { at, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { type ApiPage, send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { type Lens, lens } from '../../core/session.ts';
import { Empty, Skeleton } from '../../parts/loaded.tsx';
import { type ClassRecord, classPath } from '../data/class-data.ts';
import type { User } from '../users/user-data.ts';
import { type ApiKey, apiKeyType, nameOfKey } from './key-data.ts';
import { missingRight } from './missing-right.ts';

interface HiddenObjectsProps {
  readonly instance: string;
  readonly className: string;
  /** Whether no object is shown. */
  readonly isEmpty: boolean;
  /** Is shown in the view of the account, and where no right is missing. */
  readonly children: ComponentChildren;
}

/** Says in a view as somebody else why it shows no object of a class. */
export function HiddenObjects(props: HiddenObjectsProps) {
  const { instance, className, isEmpty, children } = props;
  const view = isEmpty ? lens.value : undefined;
  const { data, isLoading } = useLoad(
    async () => view && readReason(classPath(instance, className), view),
    [instance, className, view?.apiKey, view?.userKey],
  );
  if (view === undefined) return <>{children}</>;
  if (isLoading) return <Skeleton />;
  if (data?.reason === undefined) return <>{children}</>;
  return (
    <Empty>
      <p>
        <strong>{data.name}</strong> may not see any object of this class.
      </p>
      <p>{data.reason}</p>
    </Empty>
  );
}

async function readReason(path: RequestPath, { instance, apiKey: shownKey, userKey }: Lens) {
  const own = { method: 'GET', isOwn: true } as const;
  const [record, keys, user] = await Promise.all([
    send<ClassRecord>({ ...own, path }),
    send<ApiPage<ApiKey>>({ ...own, path: apiKeyType.path(instance), query: { page_size: 100 } }),
    userKey === undefined
      ? undefined
      : send<User>({ method: 'GET', path: at`instances/${instance}/user/` }),
  ]);
  const apiKey = keys.objects.find(({ api_key }) => api_key === shownKey);
  if (apiKey === undefined) return undefined;
  const viewer = user && { id: user.id, groups: user.groups.map(({ id }) => id) };
  return {
    name: user?.username ?? nameOfKey(apiKey),
    reason: missingRight({ apiKey, user: viewer }, record),
  };
}
