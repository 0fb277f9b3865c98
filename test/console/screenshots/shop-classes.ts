const name = { name: 'name', type: 'string', filter_index: true, order_index: true } as const;

/** Classes of the shop, each before those that refer to it. */
export const classes = [
  {
    name: 'author',
    description: 'Who wrote the books.',
    schema: [
      name,
      { name: 'country', type: 'string', filter_index: true },
      { name: 'born', type: 'integer', order_index: true },
    ],
  },
  {
    name: 'book',
    description: 'The catalogue: one object per edition.',
    other_permissions: 'read',
    schema: [
      { name: 'title', type: 'string', filter_index: true, order_index: true },
      { name: 'cover', type: 'file' },
      { name: 'author', type: 'reference', target: 'author', filter_index: true },
      { name: 'price', type: 'float', filter_index: true, order_index: true },
      { name: 'stock', type: 'integer', filter_index: true, order_index: true },
      { name: 'edition', type: 'string', filter_index: true },
      { name: 'genre', type: 'string', filter_index: true },
      { name: 'published', type: 'datetime', filter_index: true, order_index: true },
      { name: 'on_sale', type: 'boolean', filter_index: true },
      { name: 'isbn', type: 'string', unique: true },
    ],
  },
  {
    name: 'shop',
    description: 'Our shops, and where they are.',
    other_permissions: 'read',
    schema: [name, { name: 'place', type: 'geopoint' }, { name: 'opens', type: 'object' }],
  },
  {
    name: 'purchase',
    description: 'What customers bought.',
    schema: [
      { name: 'number', type: 'string', unique: true },
      { name: 'books', type: 'relation', target: 'book' },
      { name: 'shop', type: 'reference', target: 'shop', filter_index: true },
      { name: 'total', type: 'float', order_index: true },
      { name: 'status', type: 'string', filter_index: true },
      { name: 'placed', type: 'datetime', filter_index: true, order_index: true },
    ],
  },
  {
    name: 'review',
    description: 'What readers say.',
    group_permissions: 'read',
    schema: [
      { name: 'book', type: 'reference', target: 'book', filter_index: true },
      { name: 'stars', type: 'integer', filter_index: true, order_index: true },
      { name: 'text', type: 'text' },
    ],
  },
] as const;

/** Scripts of the shop: label, what it is for, runtime, source. */
export const scripts = [
  [
    'greet-customer',
    'Greets a customer by name.',
    'nodejs_v8',
    `// Called by the app when it starts.
const name = ARGS.name || 'reader';
const hour = new Date().getUTCHours();
const greeting = hour < 12 ? 'Good morning' : hour < 18 ? 'Good afternoon' : 'Good evening';

console.log(\`\${greeting}, \${name}!\`);
setResponse(new HttpResponse(200, JSON.stringify({ greeting, name }), 'application/json'));
`,
  ],
  [
    'send-receipt',
    'Sends the receipt of a purchase.',
    'nodejs_v8',
    `const { purchase, customer } = ARGS;

console.log('Receipt for', customer.name);
const lines = purchase.books.map(({ title, price }) => \`\${title}: \${price.toFixed(2)} EUR\`);
console.log(lines.join('\\n'));
`,
  ],
  [
    'count-stock',
    'Adds up what the shelves hold, each night.',
    'nodejs_v8',
    `const shelves = { novels: 412, travel: 96, family: 133 };

let total = 0;
for (const [shelf, count] of Object.entries(shelves)) {
  console.log(shelf.padEnd(8), count);
  total += count;
}
console.log('total   ', total);
`,
  ],
  [
    'watch-prices',
    'Runs when a book changes.',
    'nodejs_v8',
    `console.log('changed:', ARGS.title, 'now', ARGS.price);
`,
  ],
] as const;
