import { apnsToken, serviceAccount } from '../support/push.ts';

/** A request for an example: method and path below an instance or from the root, and its body. */
type Request = readonly [call: string, body?: object];

const book = {
  name: 'book',
  description: 'Books of the library',
  schema: [{ name: 'title', type: 'string', filter_index: true }],
};
const script = { label: 'greet', runtime_name: 'nodejs', source: 'console.log("hello");' };
const query = { class: 'book', query: { title: { _startswith: 'Little' } } };
const template = {
  name: 'card',
  content: '<b>{{ response.title }}</b>',
  content_type: 'text/html',
};
const trigger = { label: 'new books', class: 'book', signal: 'post_create', script: 1 };
const nightly = { label: 'nightly', script: 1, crontab: '0 3 * * *' };
const apns = 'a1b2c3d4'.repeat(8);
const message = { content: { environment: 'development', aps: { alert: 'A new book' } } };
const gcm = { content: { environment: 'development', data: { text: 'A new book' } } };

/** Requests of the user `ada` with the API key of the app, after those of the owner. */
export const ofUser: readonly Request[] = [
  ['GET user/'],
  ['PUT user/', { username: 'ada', password: 'secret' }],
  ['PATCH user/', { username: 'ada.lovelace' }],
];

/** Requests of the owner of an instance, in their order. */
export const ofOwner: readonly Request[] = [
  ['PUT ', { description: 'Books and readers' }],
  ['PATCH ', { description: 'Books, readers and loans' }],
  ['POST invitations/', { email: 'b@example.com', role: 'read' }],
  ['GET invitations/2/'],
  ['PUT invitations/2/', { role: 'read' }],
  ['PATCH invitations/2/', { role: 'write' }],
  ['PATCH snippets/config/', { config: { currency: 'EUR' } }],
  ['POST api_keys/', { description: 'The app' }],
  ['PUT api_keys/1/', { description: 'The app', ignore_acl: true }],
  ['POST classes/', book],
  ['PUT classes/book/', { ...book, group_permissions: 'read' }],
  ['POST classes/book/objects/', { title: 'Little Women' }],
  ['POST classes/book/objects/1/', { title: 'Good Wives' }],
  ['PUT classes/book/objects/1/', { title: 'Little Women' }],
  ['POST users/', { username: 'ada', password: 'secret' }],
  ['GET users/1/'],
  ['PUT users/1/', { username: 'ada', password: 'more secret' }],
  ['PATCH users/1/', { username: 'ada.l' }],
  ['POST groups/', { label: 'readers' }],
  ['GET groups/1/'],
  ['PUT groups/1/', { label: 'readers', description: 'All who have borrowed a book' }],
  ['PATCH groups/1/', { label: 'borrowers' }],
  ['POST users/1/groups/', { group: 1 }],
  ['GET users/1/groups/'],
  ['GET users/1/groups/1/'],
  ['GET groups/1/users/1/'],
  ['POST endpoints/data/', { name: 'little', ...query }],
  ['GET endpoints/data/little/'],
  ['PUT endpoints/data/little/', query],
  ['PATCH endpoints/data/little/', { order_by: '-created_at' }],
  ['POST snippets/templates/', template],
  ['GET snippets/templates/card/'],
  ['PUT snippets/templates/card/', { ...template, context: { language: 'en' } }],
  ['POST channels/', { name: 'news', custom_publish: true }],
  ['GET channels/news/'],
  ['PUT channels/news/', { description: 'What is new', custom_publish: true }],
  ['PATCH channels/news/', { description: 'New books' }],
  ['POST channels/news/publish/', { payload: { title: 'Little Women' } }],
  ['GET channels/news/history/'],
  ['GET channels/news/history/1/'],
  ['GET channels/news/poll/?last_id=0'],
  ['POST push_notifications/gcm/devices/', { registration_id: 'token-1', label: 'phone' }],
  ['GET push_notifications/gcm/devices/'],
  ['GET push_notifications/gcm/devices/token-1/'],
  ['PUT push_notifications/gcm/devices/token-1/', { label: 'phone of Ada' }],
  ['PATCH push_notifications/gcm/devices/token-1/', { is_active: false }],
  ['POST push_notifications/apns/devices/', { registration_id: apns, label: 'tablet' }],
  ['GET push_notifications/apns/devices/'],
  [`GET push_notifications/apns/devices/${apns}/`],
  [`PUT push_notifications/apns/devices/${apns}/`, { label: 'tablet of Ada' }],
  [`PATCH push_notifications/apns/devices/${apns}/`, { is_active: false }],
  ['PUT push_notifications/gcm/config/', { development_api_key: 'AIzaSyDemo' }],
  ['PATCH push_notifications/gcm/config/', { development_api_key: serviceAccount }],
  ['PUT push_notifications/apns/config/', apnsToken('development')],
  [
    'PATCH push_notifications/apns/config/',
    { development_bundle_identifier: 'com.example.library' },
  ],
  ['POST push_notifications/apns/config/remove_certificate/', { development_certificate: true }],
  ['POST push_notifications/gcm/devices/token-1/send_message/', gcm],
  [`POST push_notifications/apns/devices/${apns}/send_message/`, message],
  [
    'POST push_notifications/apns/messages/',
    { content: { ...message.content, registration_ids: [apns] } },
  ],
  ['POST snippets/scripts/', script],
  ['GET snippets/scripts/runtimes/'],
  ['GET snippets/scripts/1/'],
  ['PUT snippets/scripts/1/', { ...script, description: 'Prints a greeting' }],
  ['POST endpoints/scripts/', { name: 'greet', script: 1 }],
  ['PUT endpoints/scripts/greet/', { script: 1, public: false }],
  ['PATCH endpoints/scripts/greet/', { description: 'Prints a greeting' }],
  ['POST endpoints/scripts/greet/rename/', { new_name: 'hello' }],
  ['POST schedules/', { label: 'hourly', script: 1, interval_sec: 3600 }],
  ['GET schedules/1/'],
  ['PUT schedules/1/', { ...nightly, interval_sec: null }],
  ['PATCH schedules/1/', { label: 'every night' }],
  ['POST triggers/', trigger],
  ['GET triggers/1/'],
  ['PUT triggers/1/', { ...trigger, signal: 'post_update' }],
  ['PATCH triggers/1/', { label: 'changed books' }],
  ['PUT /v1.1/account/', { email: 'a@example.com', first_name: 'Ada', last_name: 'Lovelace' }],
  ['POST /v1.1/account/password/', { current_password: 'secret', new_password: 'more secret' }],
];
