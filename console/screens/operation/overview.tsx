import { at, joinPaths, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { useRecord } from '../../core/load.ts';
import { href, type ScreenProps } from '../../core/router.ts';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { usePages } from '../../parts/paged.tsx';
import { Time } from '../../parts/time.tsx';
import type { InstanceRecord } from './operation-data.ts';

/** What an instance has, as links to its screens. */
const lists = [
  { path: at`classes/`, screen: 'data', text: 'Classes' },
  { path: at`snippets/scripts/`, screen: 'scripts', text: 'Scripts' },
  { path: at`endpoints/scripts/`, screen: 'endpoints', text: 'Script endpoints' },
  { path: at`endpoints/data/`, screen: 'endpoints', text: 'Data endpoints' },
  { path: at`triggers/`, screen: 'triggers', text: 'Triggers' },
  { path: at`schedules/`, screen: 'schedules', text: 'Schedules' },
  { path: at`channels/`, screen: 'channels', text: 'Channels' },
  { path: at`users/`, screen: 'users', text: 'Users' },
  { path: at`groups/`, screen: 'groups', text: 'Groups' },
  { path: at`api_keys/`, screen: 'keys', text: 'API keys' },
] as const;

const counted = 100; // the longest page

/** An instance at a glance. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const record = useRecord<InstanceRecord>(at`instances/${instance}/`);
  return (
    <ScreenFrame title={instance} above={[{ text: 'Instances', href: '#/' }]}>
      <LoadedData of={record}>
        {({ description, role, owner, created_at }) => (
          <>
            {description !== '' && <p class="about">{description}</p>}
            <dl class="facts">
              <dt>Your role</dt>
              <dd>{role}</dd>
              <dt>Owner</dt>
              <dd>{owner.email}</dd>
              <dt>Created</dt>
              <dd>
                <Time value={created_at} />
              </dd>
            </dl>
          </>
        )}
      </LoadedData>
      <ul class="plain tiles">
        {lists.map(({ path, screen, text }) => (
          <Tile key={path} {...{ instance, path, screen, text }} />
        ))}
      </ul>
    </ScreenFrame>
  );
}

interface TileProps {
  readonly instance: string;
  readonly path: RequestPath;
  readonly screen: string;
  readonly text: string;
}

function Tile({ instance, path, screen, text }: TileProps) {
  const query = { page_size: counted, fields: 'id,name' };
  const list = usePages<unknown>(joinPaths(at`instances/${instance}/`, path), query);
  const { data, problem, pages } = list;
  const count = data && (pages.next === null ? data.length : `${counted}+`);
  return (
    <li>
      <a class="tile" href={href(at`/i/${instance}/${screen}`)}>
        <strong>{problem ? '–' : (count ?? '…')}</strong> {text}
      </a>
    </li>
  );
}
