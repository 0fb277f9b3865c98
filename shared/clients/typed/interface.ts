/*
 * The client of an instance: only web standards, so that it runs in browsers, Node, Deno and Bun. The command
 * `groundwork types` copies the files of this folder before the types of an instance. They import only each other.
 */

/** Settings of a client. */
export interface ClientOptions {
  /** Address of the server, such as `https://api.example.com`. */
  readonly url: string;
  readonly instance: string;
  /** An API key; or an account key, in programs that never leave their owner's machines. */
  readonly apiKey: string;
  /** Key of a user, as {@link InstanceClient.login} returns it. */
  readonly userKey?: string | undefined;
}

/** Names and types that differ between instances. */
export interface InstanceTypes {
  readonly profile: unknown;
  readonly script: string;
  /** A channel without rooms. */
  readonly channel: string;
  readonly roomChannel: string;
}

/** What every client can do, besides the objects of its classes. */
export interface InstanceClient<Types extends InstanceTypes> {
  /** Logs a user in; further requests are made for this user. */
  login(credentials: {
    username: string;
    password: string;
  }): Promise<InstanceUser<Types['profile']>>;
  /** Makes further requests without a user. */
  logout(): void;
  /**
   * Runs a script endpoint with a payload.
   *
   * @returns what the script responds; without a custom response, how the run ended
   */
  run<Result = RunResult>(name: Types['script'], payload?: object): Promise<Result>;
  /** Publishes a message. */
  publish(channel: Types['channel'], payload: object): Promise<ChannelMessage>;
  publish(channel: Types['roomChannel'], payload: object, room: string): Promise<ChannelMessage>;
  /** Waits for messages, each once and in order, until the loop is left or `signal` is aborted. */
  subscribe(
    channel: Types['channel'],
    options?: SubscribeOptions,
  ): AsyncGenerator<ChannelMessage, void, undefined>;
  subscribe(
    channel: Types['roomChannel'],
    options: SubscribeOptions & { readonly room: string },
  ): AsyncGenerator<ChannelMessage, void, undefined>;
  /** Sends any other request; `path` is below the instance, such as `groups/`. Returns the body of the response. */
  request(path: string, options?: RequestOptions): Promise<unknown>;
}

/** A list of objects to which objects can be added: a class, or a data endpoint. */
export interface ObjectList<Item, Input, Query, Order extends string> {
  /** Returns one page, by default of 100 objects in the order of their ids. */
  list<Field extends keyof Item = keyof Item>(
    options?: ListOptions<Query, Order, Field>,
  ): Promise<ListPage<Pick<Item, Field>>>;
  /** Passes all objects, page by page. */
  all<Field extends keyof Item = keyof Item>(
    options?: ListOptions<Query, Order, Field>,
  ): AsyncGenerator<Pick<Item, Field>, void, undefined>;
  /** Creates an object; its files are uploaded first. */
  create(input: Input): Promise<Item>;
}

/** The objects of a class. */
export interface ClassObjects<Item, Input, Update, Query, Order extends string>
  extends ObjectList<Item, Input, Query, Order> {
  get(id: number): Promise<Item>;
  /** Changes the fields that are given. */
  update(id: number, changes: Update): Promise<Item>;
  delete(id: number): Promise<void>;
  /** Uploads a file of up to 128 MB. Returns the value that saves it in a field of this class. */
  upload(file: Blob, filename?: string): Promise<string>;
}

export interface ListOptions<Query, Order extends string, Field> {
  /** All conditions must hold. */
  readonly where?: Query | undefined;
  /** A field; `-` before it reverses the order. */
  readonly orderBy?: Order | undefined;
  /** Objects in a page: 0 to 100. */
  readonly pageSize?: number | undefined;
  /** Reads only these fields. */
  readonly fields?: readonly Field[] | undefined;
  /** Adds the number of objects on all pages. */
  readonly count?: boolean | undefined;
}

export interface ListPage<Item> {
  readonly objects: readonly Item[];
  /** Number of objects on all pages, if `count` asked for it. */
  readonly count: number | undefined;
  /** Reads the following page; absent on the last one. */
  readonly next?: () => Promise<ListPage<Item>>;
}

export interface SubscribeOptions {
  /** Begins after the message with this id; 0 begins with the oldest that is kept. By default only new ones follow. */
  readonly lastId?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
  /** Sent as JSON. */
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface InstanceUser<Profile> {
  readonly id: number;
  readonly username: string;
  readonly user_key: string;
  readonly profile: Profile;
  readonly groups: readonly unknown[];
  readonly links: Readonly<Record<string, string>>;
}

export interface ChannelMessage {
  readonly id: number;
  readonly created_at: string;
  readonly action: 'custom' | 'create' | 'update' | 'delete';
  readonly author: Readonly<Record<string, number>>;
  readonly metadata: { readonly type: 'message' | 'object'; readonly class?: string };
  readonly payload: Readonly<Record<string, unknown>>;
}

/** How a run without a custom response ended. */
export interface RunResult {
  readonly id: number;
  readonly status: 'success' | 'failure' | 'timeout' | 'blocked' | 'queue_timeout';
  readonly executed_at: string | null;
  /** In milliseconds. */
  readonly duration: number | null;
  readonly result: { readonly stdout: string; readonly stderr: string };
}
