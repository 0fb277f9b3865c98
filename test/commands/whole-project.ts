/** A project with every section and every member, in the form in which a pull writes it. */
export const wholeProject = `instance:
  description: Our library
  metadata:
    town: Bath
config:
  greeting: hello
  limits:
    loans: 5
  empty: []
groups:
  editors:
    label: Editors
    description: They write
  Old readers: {}
  members:
    name: null
classes:
  user_profile:
    fields:
      avatar: file
  author:
    fields:
      name: string unique
      best: reference book
  book:
    description: All books
    group: editors
    group_permissions: read
    other_permissions: none
    metadata:
      icon: book
    fields:
      title: string filtered ordered
      written_by: reference author filtered
channels:
  default:
    other_permissions: subscribe
  news:
    description: What is new
    type: separate_rooms
    group: Old readers
    group_permissions: publish
    other_permissions: subscribe
    custom_publish: true
templates:
  objects_csv:
    description: My own description
  page:
    content: |-
      <h1>{{ title }}</h1>
      <p>
        {{ response.result }}
      </p>
    content_type: text/html
    context:
      title: Books
    description: A page
scripts:
  greet:
    file: scripts/greet.js
    runtime_name: nodejs_v12
    config:
      timeout: 2.5
      allow_full_access: true
    description: Greets
  count:
    file: scripts/count.py
script_endpoints:
  hello:
    description: Says hello
    public: true
    raw: true
    script: greet
data_endpoints:
  long-books:
    description: Long ones
    class: book
    query:
      title:
        _gt: a
    excluded_fields: group,channel
    order_by: -title
    page_size: 20
    expand: written_by
triggers:
  on a new book:
    description: Counts
    signal: post_create
    class: book
    script: count
schedules:
  each night:
    description: Counts again
    crontab: 30 2 * * *
    timezone: Europe/Berlin
    script: count
  often:
    interval_sec: 60
    script: greet
api_keys:
  web app:
    ignore_acl: true
    allow_user_create: true
    allow_group_create: true
    allow_anonymous_read: true
push:
  production_bundle_identifier: org.example.books
  production_certificate_name: production
  development_bundle_identifier: org.example.books.test
  development_certificate_name: development
users:
  email: optional
  guests: true
  redirects:
    - https://app.example.com/
  providers:
    - name: work
      client_id: books
      kind: oidc
      issuer: https://login.example.com/
`;

/** The scripts of the project. */
export const wholeScripts = {
  'scripts/greet.js': "console.log(CONFIG.greeting + ' ' + ARGS.who);\n",
  'scripts/count.py': "print(META['executed_by'])",
};
