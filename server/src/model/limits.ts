/**
 * Every limit of the service in one table (L1): its default, unit, the range a configuration may choose, and its reason.
 * Long because it is one table.
 */

/** One limit. */
export interface Limit {
  default: number;
  unit: 'bytes' | 'count' | 'days' | 'ms' | 's' | 'characters' | 'levels' | 'percent';
  min: number;
  max: number;
  /** Why there is a limit, and why this value; with the spec number that asks for it. */
  reason: string;
  /** Whether it is read once, when the service starts; all others a running service takes anew (SIGHUP). */
  fixed?: true;
}

/** The limits by name; a configuration may change each within its range. */
export const limitTable = {
  bodyBytesMax: {
    default: 8 * 1024 * 1024,
    unit: 'bytes',
    min: 1024,
    max: 256 * 1024 * 1024,
    reason: 'E3: one request is held in memory whole, after decompression.',
  },
  remoteWriteBytesMax: {
    default: 4 * 1024 * 1024,
    unit: 'bytes',
    min: 64 * 1024,
    max: 64 * 1024 * 1024,
    reason:
      'I3: a request of Prometheus after decompression, which holds the event loop for about 3 ms per MiB; its 2,000 samples take less than 1 MiB.',
  },
  batchCallsMax: {
    default: 50,
    unit: 'count',
    min: 1,
    max: 1000,
    reason: 'W3: one request, bounded work.',
  },
  requestMembersMax: {
    default: 65_536,
    unit: 'count',
    min: 1000,
    max: 10_000_000,
    reason:
      'Members, objects and arrays of one request: parsing so many with different names holds the event loop for 45 ms. The values of a data frame do not count.',
  },
  signalsPerCallMax: {
    default: 10_000,
    unit: 'count',
    min: 1,
    max: 1_000_000,
    reason:
      'Signals of one save, publication or insert: ten times what a selection answers; larger plants send several calls.',
  },
  newSignalsPerHourMax: {
    default: 100_000,
    unit: 'count',
    min: 1,
    max: 100_000_000,
    reason:
      'New signals of one integration: a program that makes a key of each value fills the disk and the memory of everything that lists signals. A plan can set less.',
  },
  requestTimeoutMs: {
    default: 30_000,
    unit: 'ms',
    min: 100,
    max: 3_600_000,
    reason: 'A client that sends slower than this, or a query that takes longer, is given up.',
  },
  connectionsMax: {
    default: 10_000,
    unit: 'count',
    min: 1,
    max: 1_000_000,
    reason: 'Each open connection costs memory and a file descriptor.',
  },
  connectionsPerAddressMax: {
    default: 1000,
    unit: 'count',
    min: 1,
    max: 1_000_000,
    reason:
      'E3b: connections of one address, unless it is a trusted proxy. When all of them are used or closed at once, the event loop is held for about 30 microseconds each.',
  },
  requestsMax: {
    default: 1024,
    unit: 'count',
    min: 1,
    max: 100_000,
    reason:
      'Calls under way, those included whose body still comes in; above it they are refused at once (503).',
  },
  requestMemoryBytesMax: {
    default: 512 * 1024 * 1024,
    unit: 'bytes',
    min: 16 * 1024 * 1024,
    max: 256 * 1024 * 1024 * 1024,
    reason:
      'E3b: what all requests under way hold together: bodies 15 %, inflated ones 15 %, what is parsed of them 25 %, reads 35 %, text of answers 10 %. A request waits until its part is free; one alone always goes on.',
  },
  memoryWaitingMax: {
    default: 256,
    unit: 'count',
    min: 0,
    max: 100_000,
    reason:
      'E3b: requests that wait for each part of that memory; above it the newest of the client with the most waiting is refused (503).',
  },
  readsMax: {
    default: 8,
    unit: 'count',
    min: 1,
    max: 1000,
    reason: 'Reads that run: four for each reader thread. More would not be done sooner, and hold memory.',
  },
  readsWaitingMax: {
    default: 128,
    unit: 'count',
    min: 0,
    max: 100_000,
    reason:
      'E3b: reads that wait for their turn; above it the newest of the client with the most waiting is refused (503).',
  },
  changesMax: {
    default: 16,
    unit: 'count',
    min: 1,
    max: 1000,
    reason: 'Calls about metadata that run: they are written one after the other.',
  },
  changesWaitingMax: {
    default: 256,
    unit: 'count',
    min: 0,
    max: 100_000,
    reason:
      'E3b: calls about metadata that wait for their turn; above it the newest of the client with the most waiting is refused (503).',
  },
  integrationSharePercent: {
    default: 75,
    unit: 'percent',
    min: 1,
    max: 100,
    reason:
      'E3b: how much of each of these one client may have; the rest is for the others while it floods. Before authentication a client is an address.',
  },
  slowCallMs: {
    default: 1000,
    unit: 'ms',
    min: 1,
    max: 3_600_000,
    reason: 'A call that takes longer is logged with its plan; what is usual stays out of the log.',
  },
  slowCallsKept: {
    default: 50,
    unit: 'count',
    min: 0,
    max: 10_000,
    reason: 'Slow calls that the console shows; each is held in memory with its plan.',
  },
  recentErrorsMax: {
    default: 50,
    unit: 'count',
    min: 0,
    max: 10_000,
    reason: 'Kinds of errors of an integration that the console shows; each is held in memory.',
  },
  recencySignalsMax: {
    default: 500_000,
    unit: 'count',
    min: 1,
    max: 100_000_000,
    reason:
      'A5i: signals whose newest points are compared to find the silent ones; about 400 bytes of memory each.',
  },
  diskFreeBytesMin: {
    default: 256 * 1024 * 1024,
    unit: 'bytes',
    min: 0,
    max: 1024 * 1024 * 1024 * 1024,
    reason: 'With less free disk the service says that it is not ready, before inserts begin to fail.',
  },
  queueBytesMax: {
    default: 64 * 1024 * 1024,
    unit: 'bytes',
    min: 1024 * 1024,
    max: 4 * 1024 * 1024 * 1024,
    reason: 'Batches that wait for the disk; above it inserts are refused at once instead of dying slowly.',
  },
  tokenTtlS: {
    default: 7200,
    unit: 's',
    min: 1,
    max: 86_400,
    reason: 'A2: a token is valid for about 2 hours.',
  },
  tokenRequestsPerMinute: {
    default: 60,
    unit: 'count',
    min: 1,
    max: 1_000_000,
    reason: 'A2: tokens of one client; programs that a scheduler runs take a token each.',
  },
  tokenRequestsBurst: {
    default: 20,
    unit: 'count',
    min: 1,
    max: 1_000_000,
    reason:
      'A2: tokens of one client in immediate succession: several programs that start at the full minute.',
  },
  sessionIdleS: {
    default: 43_200,
    unit: 's',
    min: 60,
    max: 31_536_000,
    reason: 'A browser that was not used for this long is signed out of the console.',
  },
  sessionTtlS: {
    default: 604_800,
    unit: 's',
    min: 60,
    max: 31_536_000,
    reason: 'After so long a session of the console ends, however much it is used.',
  },
  sessionsPerPersonMax: {
    default: 50,
    unit: 'count',
    min: 1,
    max: 10_000,
    reason: 'A5b: a program that signs in again and again; a further session ends the oldest.',
  },
  savedViewsMax: {
    default: 1000,
    unit: 'count',
    min: 0,
    max: 10_000,
    reason: 'A5g: saved views of all people; all are read to list them.',
  },
  savedViewsPerPersonMax: {
    default: 100,
    unit: 'count',
    min: 0,
    max: 10_000,
    reason: 'A5g: saved views of one person, so that one cannot use up those of all.',
  },
  publishRulesMax: {
    default: 50,
    unit: 'count',
    min: 0,
    max: 1000,
    reason: 'P2: rules that are looked at for signals that are saved: one search each for every 100 of them.',
  },
  calculatedItemsMax: {
    default: 1000,
    unit: 'count',
    min: 0,
    max: 10_000,
    reason: 'C5: calculated items; all of them are looked at when one is saved, for who uses whom.',
  },
  calculationInputsMax: {
    default: 50,
    unit: 'count',
    min: 1,
    max: 1000,
    reason: 'C1: inputs of one calculated item, as many items as one evaluate references (Q12).',
  },
  calculationLevelsMax: {
    default: 8,
    unit: 'levels',
    min: 1,
    max: 64,
    reason:
      'C5: calculated items that use calculated items: bounds what one read looks up, and how far back.',
  },
  calculationItemsMax: {
    default: 500,
    unit: 'count',
    min: 1,
    max: 10_000,
    reason: 'C2: items that the calculated items of one call are computed from, at all levels.',
  },
  calculationVersionsMax: {
    default: 1000,
    unit: 'count',
    min: 1,
    max: 100_000,
    reason: 'C7: versions of one calculation that are kept.',
  },
  passwordsWaitingMax: {
    default: 16,
    unit: 'count',
    min: 1,
    max: 1000,
    reason:
      'A5e: passwords are checked one at a time, each for a quarter of a second with 128 MiB; above it 503.',
  },
  wrongLoginsPerMinute: {
    default: 10,
    unit: 'count',
    min: 1,
    max: 1_000_000,
    reason:
      'L4e, A2: wrong secrets of one user name or client at one address; three times as many of one address at the token endpoint, and ten times as many of one address in all.',
  },
  usageDaysMax: {
    default: 400,
    unit: 'days',
    min: 1,
    max: 36_500,
    reason: 'L4: metered days that are kept: a year, and the month that is settled after it.',
  },
  selectLimitMax: {
    default: 1000,
    unit: 'count',
    min: 1,
    max: 100_000,
    reason: 'R13: resources of one answer.',
  },
  resourceCharactersMax: {
    default: 16 * 1024 * 1024,
    unit: 'characters',
    min: 4 * 1024 * 1024,
    max: 1024 * 1024 * 1024,
    reason:
      'R13: labels, annotations and states of the signals or items that a call reads; answered they take ten times that.',
    fixed: true,
  },
  itemsLimitMax: {
    default: 50,
    unit: 'count',
    min: 1,
    max: 1000,
    reason: 'R13, Q12: items of one answer with data, and items that one evaluate references.',
  },
  calculationsMax: {
    default: 100,
    unit: 'count',
    min: 1,
    max: 1000,
    reason: 'interface.md, service.evaluate.',
  },
  formulaCharactersMax: {
    default: 1000,
    unit: 'characters',
    min: 1,
    max: 100_000,
    reason: 'F6: bounds parsing and evaluation.',
  },
  paramsLevelsMax: {
    default: 100,
    unit: 'levels',
    min: 10,
    max: 1000,
    reason: 'JSON nested without end; bounds recursion before any method has its own bound.',
  },
  formulaLevelsMax: { default: 64, unit: 'levels', min: 1, max: 256, reason: 'F6: bounds recursion.' },
  formulaWorkMsMax: {
    default: 5000,
    unit: 'ms',
    min: 1,
    max: 3_600_000,
    reason: 'F6: computing that the calculations of one call may take, estimated before anything is read.',
  },
  formulaValuesMax: {
    default: 20_000_000,
    unit: 'count',
    min: 1000,
    max: 1_000_000_000,
    reason: 'F6: results and intermediate results (8 bytes each) that calculations may hold at one time.',
  },
  filterLevelsMax: { default: 16, unit: 'levels', min: 1, max: 64, reason: 'R14: bounds recursion.' },
  filterTermsMax: {
    default: 1000,
    unit: 'count',
    min: 1,
    max: 10_000,
    reason: 'R14: bounds the SQL of one query.',
  },
  patternCharactersMax: {
    default: 1000,
    unit: 'characters',
    min: 1,
    max: 100_000,
    reason: 'R14: a $regex is compiled for every query, and run on every row.',
  },
  patternSizeMax: {
    default: 1200,
    unit: 'count',
    min: 20,
    max: 10_000,
    reason:
      'R14b: instructions of all $regex of a query, counted before they are compiled: 1,000 take up to 50 ms to compile, and up to 0.6 s to match against the longest text.',
  },
  patternWorkMax: {
    default: 1_000_000_000,
    unit: 'count',
    min: 1_000_000,
    max: 1_000_000_000_000,
    reason:
      'R14b: characters that the $regex of one query may look at, times their size: usually 5 s of one processor, two minutes at worst, in turns that end with the call.',
  },
  sortKeysMax: { default: 16, unit: 'count', min: 1, max: 64, reason: 'R13: bounds the SQL of one query.' },
  liveWatchersMax: {
    default: 1000,
    unit: 'count',
    min: 0,
    max: 100_000,
    reason:
      'N6: streams of live values that are open; each holds a connection and a queue. One client has at most its share of them.',
  },
  liveItemsMax: {
    default: 500,
    unit: 'count',
    min: 1,
    max: 100_000,
    reason:
      'N6: items of one stream, as many as a URL can name; their signals are looked up again whenever signals change.',
  },
  liveQueueBytesMax: {
    default: 1024 * 1024,
    unit: 'bytes',
    min: 16 * 1024,
    max: 256 * 1024 * 1024,
    reason:
      'N6: points that wait for a slow reader of live values; what is above it is read from the store when the reader has caught up.',
  },
  mqttSessionsMax: {
    default: 50,
    unit: 'count',
    min: 0,
    max: 10_000,
    reason:
      'M3c: persistent sessions of one integration with the message broker: a message of the integration is stored for each that wants it.',
  },
  mqttQueueMessagesMax: {
    default: 10_000,
    unit: 'count',
    min: 1,
    max: 1_000_000,
    reason: 'M3d: messages that wait for the client of a persistent session; further ones are not queued.',
  },
  mqttQueueBytesMax: {
    default: 4 * 1024 * 1024,
    unit: 'bytes',
    min: 1024,
    max: 256 * 1024 * 1024,
    reason: 'M3d: the bytes of these messages, which are among the metadata.',
  },
  mqttSessionTtlS: {
    default: 259_200,
    unit: 's',
    min: 60,
    max: 31_536_000,
    reason:
      'M3d: a persistent session whose client does not come for this long ends, with what waits for it.',
  },
  offsetBucketsMax: {
    default: 1000,
    unit: 'count',
    min: 0,
    max: 10_000,
    reason: 'Q9, F4: buckets outside the window.',
  },
  windowDaysMax: {
    default: 40,
    unit: 'days',
    min: 1,
    max: 100_000,
    reason: 'L2: raw, or rollup below PT1M.',
  },
  windowMinuteDaysMax: {
    default: 400,
    unit: 'days',
    min: 1,
    max: 100_000,
    reason: 'L2: rollup from PT1M.',
  },
  windowDayDaysMax: {
    default: 1900,
    unit: 'days',
    min: 1,
    max: 100_000,
    reason: 'L2: rollup from PT24H.',
  },
  windowMonthDaysMax: {
    default: 3660,
    unit: 'days',
    min: 1,
    max: 100_000,
    reason: 'L2: rollup from P30D or a month, dataFrame only.',
  },
  exportColumnsMax: {
    default: 1000,
    unit: 'count',
    min: 1,
    max: 10_000,
    reason: 'X2: series side by side in the wide form of an export; the long form has any number.',
  },
  answerValuesMax: {
    default: 5_000_000,
    unit: 'count',
    min: 1000,
    max: 100_000_000,
    reason: 'L3: rows × series of one answer; nothing is truncated, a larger answer is refused.',
  },
  bucketColumnsMax: {
    default: 100_000_000,
    unit: 'count',
    min: 1000,
    max: 100_000_000_000,
    reason:
      'L3: buckets × columns that one call computes, empty ones too: about a second of a processor. They are computed in pieces and never held at once.',
  },
} as const satisfies Record<string, Limit>;

/** The limits in force. */
export type Limits = { readonly [Name in keyof typeof limitTable]: number };

/** The limits as they are without configuration. */
export const limitDefaults: Limits = Object.freeze(
  Object.fromEntries(Object.entries(limitTable).map(([name, limit]) => [name, limit.default])),
) as Limits;

/** Those of a running service that can be changed. */
export function liveLimits(limits: Limits): Partial<Limits> {
  const names = Object.keys(limitTable) as (keyof Limits)[];
  return Object.fromEntries(names.filter(isLive).map((name) => [name, limits[name]]));
}

/** Whether a running service takes a new value of a limit. */
export function isLive(name: keyof Limits): boolean {
  return (limitTable[name] as Limit).fixed !== true;
}
