import { useList } from '../../core/load.ts';
import type { ScreenProps } from '../../core/router.ts';
import { ListScreen, linkColumn } from '../../parts/list-screen.tsx';
import { type Channel, channelType, permissionTexts, typeTexts } from './channel-data.ts';
import { ChannelForm } from './channel-form.tsx';

/** The channels of an instance, and a form for another one. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  return (
    <ListScreen
      of={channelType}
      instance={instance}
      list={useList<Channel>(channelType.path(instance))}
      about="A channel brings messages to clients as they come: what others publish, and what changes in your data."
      form={ChannelForm}
      columns={[
        linkColumn(channelType, instance),
        { name: 'Description', cell: ({ description }) => description },
        { name: 'Rooms', cell: ({ type }) => typeTexts[type] },
        { name: 'Clients publish', cell: ({ custom_publish }) => (custom_publish ? 'yes' : 'no') },
        { name: 'Every user may', cell: (channel) => permissionTexts[channel.other_permissions] },
      ]}
    />
  );
}
