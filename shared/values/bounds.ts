/*
 * Limits of what one client may cost the process that serves all. Each is on the page docs/internals/threats.md with
 * the test for it. Sizes are bytes, times milliseconds, unless the name says otherwise.
 */

/**
 * Brackets, commas and colons of one JSON text outside strings: parsing each takes up to 48 bytes and a microsecond.
 */
export const maxStructure = 200_000;

/**
 * Brackets, commas and colons of an indented response or a page. Both are made from values: 30 ms for this many, and as
 * long again for the longest text.
 */
export const maxIndentedStructure = 500_000;

/** Seconds without use after which a session of a user ends (docs/reference/user-accounts.md#sessions). */
export const sessionIdleSeconds = 7_776_000;

/** The use of a session is written once in this time, in seconds. */
export const sessionUseSeconds = 86_400;

/** Sessions of a user: a further one ends that which was not used for the longest time. */
export const maxSessions = 100;

/** Seconds in which another client logs in to an account with a code (docs/reference/accounts.md#log-in-by-a-code). */
export const accountCodeSeconds = 30;

/** Unused codes of an account: a further one ends the oldest. */
export const maxAccountCodes = 10;

/** Uses of sessions that wait in memory until they are written; the next request of a further one notes it again. */
export const maxNotedSessions = 10_000;

/** A body without a genuine credential in path, query or header: enough for a form, a log-in and an old client. */
export const anonymousBodyBytes = 65_536;

/** Bodies up to this size are not counted: they cost less than the head of their request may. */
export const uncountedBodyBytes = 2048;

/** Larger bodies are parsed one in each round of the event loop: a round may take 10 ms for each. */
export const heavyBodyBytes = 32_768;

/** Memory of a parsed body in addition to its text, by structural character. */
export const parsedBytesPerCharacter = 48;

/** Lines of the request log that wait in memory for a second; further ones, and half of it from one instance, are dropped. */
export const bufferedRequestBytes = 2_097_152;

/**
 * Files of the request log: some 60,000 lines of an instance, whose own requests push out none of other instances, and
 * all together. A file takes lines for an hour, and is deleted when the last of them is 24 hours old.
 */
export const requestLogFiles = {
  segmentBytes: 1_048_576,
  segmentMicros: 3_600_000_000,
  instanceBytes: 8_388_608,
  totalBytes: 268_435_456,
  keptMicros: 86_400_000_000,
};

/** A short wait for room: longer than a burst takes, shorter than a client waits. */
export const roomWaitMs = 2000;

/** Concurrent requests that wait for room; further ones are rejected at once. */
export const maxRoomWaiters = 1000;

/**
 * The same of one address, for bodies without a genuine credential: up to 64 kB of each have arrived, so that they are
 * another 4 MB.
 */
export const maxAnonymousWaiters = 64;

/** Room for arriving bodies. An instance has a quarter, an address half, so that neither takes all. */
export const receivingRoom = { total: 67_108_864, perOwner: 16_777_216, perAddress: 33_554_432 };

/** Room for arriving bodies without a genuine credential: 256 of the largest. */
export const anonymousReceivingRoom = {
  total: 16_777_216,
  perOwner: 16_777_216,
  perAddress: 8_388_608,
  waitersPerAddress: maxAnonymousWaiters,
};

/** Room for parsed bodies whose requests run. */
export const parsedRoom = { total: 268_435_456, perOwner: 67_108_864, perAddress: 134_217_728 };

/** Room for parsed bodies without a genuine credential: 20 of the most costly. */
export const anonymousParsedRoom = {
  total: 67_108_864,
  perOwner: 67_108_864,
  perAddress: 33_554_432,
};

/** A body must gain {@link minGainedBytes} in each of these windows, or end. */
export const gainWindowMs = 5000;

/** Slower than 13 kB per second holds memory for too long; smaller bodies have {@link smallBodyMs} instead. */
export const minGainedBytes = 65_536;

/** A body below {@link minGainedBytes} may arrive slowly, but only for this time. */
export const smallBodyMs = 15_000;

/** A large upload to the disk may pause for this long, and must be as fast as {@link minUploadRate} on average. */
export const uploadIdleMs = 30_000;

/** Bytes per second of a large upload, as an average over {@link uploadIdleMs}: it holds a file and a connection. */
export const minUploadRate = 1024;

/**
 * Concurrent large uploads; where descriptors are few, half of the connections. An instance has a quarter, an address
 * half, so that neither takes all. Each takes some 200 kB.
 */
export const maxUploads = 512;

/** Header of a part of an upload form. Its values are a name, a filename and a type. */
export const maxPartHeaderBytes = 2048;

/** Lines in the header of a part of an upload form. */
export const maxPartHeaderLines = 16;

/** After an early response the rest of the body is read for this long: a reset would lose the response. */
export const drainMs = 1000;

/** Requests that wait on a connection while one is served: 3 kB each. Few clients use pipelining at all. */
export const maxPipelined = 512;

/** Requests that wait on all connections, and those that will never be served. */
export const maxPipelinedInAll = 8192;

/** A connection with bytes to be sent that accepts none for this long is closed. */
export const stalledSendMs = 30_000;

/**
 * Size of the pieces in which responses are passed to the system, so that a slow reader holds one and its progress
 * shows.
 */
export const sendPieceBytes = 65_536;

/** Bytes of responses that wait to be sent; above, the connections that accept least are closed. */
export const maxWaitingBytes = 134_217_728;

/** Descriptors not available to connections: store, logs, pipes of scripts. A file in transit takes one more each. */
export const reservedDescriptors = 256;

/** Maximum connections, even with more descriptors: an idle one takes 10 kB. */
export const maxConnections = 16_384;

/** A request line and headers must arrive in this time, from the opening of a connection or the first byte. */
export const headMs = 60_000;

/** Between two checks for requests that arrive too slowly. */
export const headCheckMs = 5000;

/** A connection that has waited for its client for less is closed after bodies with a credential: its request is coming. */
export const freshMs = 1000;

/** Longest-waiting connections among which one is chosen to make room: that of the address that has most. */
export const replacementChoice = 64;

/** When the server ends, arriving bodies and unread responses are dropped after this time. */
export const lastChanceMs = 2000;

/** The highest id of a record: ids are signed numbers of 32 bits in clients. */
export const maxId = 2_147_483_647;

/**
 * The highest id that an import may bring or reserve. Above it are 16,777,216 ids for records that are created later:
 * counters never go back.
 */
export const maxImportedId = maxId - 16_777_216;

/** Runs of triggers that are planned for an instance in a minute, as many as its requests; further ones are blocked. */
export const maxTriggerRunsPerMinute = 3600;

/** Runs of triggers of an instance that have not ended; a quarter of its queue remains for other runs. */
export const maxOpenTriggerRuns = 300;

/** Large responses that are compressed concurrently: commits need the other two threads. */
export const maxCompressions = 2;

/** Open polls and streams of channels: each takes a connection, and some 20 kB. Half of the connections at most. */
export const listeners = { total: 8192, perOwner: 4096, perInstance: 2048 };

/** Longest wait of a poll, where no gateway ends it earlier. */
export const longestPollMs = 300_000;

/** A poll that finds no room waits for this long. Old clients poll again at once: an error would be a loop. */
export const shortPollMs = 1000;

/** Characters of the reason for which an operator suspends an instance. */
export const maxReasonLength = 500;

/** A job of a suspended instance looks after this time whether it may go on. */
export const suspendedJobMs = 600_000;

/** The rights of an open poll or stream are checked with each message, and after this time. */
export const recheckMs = 15_000;

/** Rooms of one stream. */
export const maxStreamRooms = 20;

/** Characters after which a stream that cannot remain open ends; the last read may exceed them by some 200,000. */
export const maxClosedStreamBytes = 1_048_576;
