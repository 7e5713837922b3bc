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

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** Makes limits in a unit, each of its default, its range and its reason. */
function limitsIn(unit: Limit['unit']) {
  return (usual: number, [min, max]: [number, number], reason: string): Limit => {
    return { default: usual, unit, min, max, reason };
  };
}

const bytes = limitsIn('bytes');
const characters = limitsIn('characters');
const count = limitsIn('count');
const days = limitsIn('days');
const levels = limitsIn('levels');
const ms = limitsIn('ms');
const percent = limitsIn('percent');
const s = limitsIn('s');

/** The limits by name; a configuration may change each within its range. */
export const limitTable = {
  bodyBytesMax: bytes(
    8 * MiB,
    [KiB, 256 * MiB],
    'E3: one request is held in memory whole, after decompression.',
  ),
  remoteWriteBytesMax: bytes(
    4 * MiB,
    [64 * KiB, 64 * MiB],
    'I3: a request of Prometheus after decompression, which holds the event loop for about 3 ms per MiB; its 2,000 samples take less than 1 MiB.',
  ),
  batchCallsMax: count(50, [1, 1000], 'W3: one request, bounded work.'),
  requestMembersMax: count(
    65_536,
    [1000, 10_000_000],
    'Members, objects and arrays of one request: parsing so many with different names holds the event loop for 45 ms. The values of a data frame do not count.',
  ),
  requestTextBytesMax: bytes(
    256 * KiB,
    [64 * KiB, 256 * MiB],
    'L1c: a text or the name of a member in a request above 128 KiB, without its quotation marks; parsing 8 MiB holds the event loop for up to 0.5 s.',
  ),
  requestEntriesMax: count(
    500_000,
    [20_000, 100_000_000],
    'L1c: entries of an array in a request, and so rows of a data frame: an array of 4 million holds the event loop for 0.1 s while it grows.',
  ),
  signalsPerCallMax: count(
    10_000,
    [1, 1_000_000],
    'Signals of one save, publication or insert: ten times what a selection answers; larger plants send several calls.',
  ),
  newSignalsPerHourMax: count(
    100_000,
    [1, 100_000_000],
    'New signals of one integration: a program that makes a key of each value fills the disk and the memory of everything that lists signals. A plan can set less.',
  ),
  requestTimeoutMs: ms(
    30_000,
    [100, 3_600_000],
    'A client that sends slower than this, or a query that takes longer, is given up.',
  ),
  connectionsMax: count(10_000, [1, 1_000_000], 'Each open connection costs memory and a file descriptor.'),
  connectionsPerAddressMax: count(
    1000,
    [1, 1_000_000],
    'E3b: connections of one address, unless it is a trusted proxy. When all of them are used or closed at once, the event loop is held for about 30 microseconds each.',
  ),
  requestsMax: count(
    1024,
    [1, 100_000],
    'Calls under way, those included whose body still comes in; above it they are refused at once (503).',
  ),
  requestMemoryBytesMax: bytes(
    512 * MiB,
    [16 * MiB, 256 * GiB],
    'E3b: what all requests under way hold together: bodies 15 %, inflated ones 15 %, what is parsed of them 25 %, reads 35 %, text of answers 10 %. A request waits until its part is free; one alone always goes on.',
  ),
  memoryWaitingMax: count(
    256,
    [0, 100_000],
    'E3b: requests that wait for each part of that memory; above it the newest of the client with the most waiting is refused (503).',
  ),
  readsMax: count(
    8,
    [1, 1000],
    'Reads that run: four for each reader thread. More would not be done sooner, and hold memory.',
  ),
  readsWaitingMax: count(
    128,
    [0, 100_000],
    'E3b: reads that wait for their turn; above it the newest of the client with the most waiting is refused (503).',
  ),
  changesMax: count(16, [1, 1000], 'Calls about metadata that run: they are written one after the other.'),
  changesWaitingMax: count(
    256,
    [0, 100_000],
    'E3b: calls about metadata that wait for their turn; above it the newest of the client with the most waiting is refused (503).',
  ),
  integrationSharePercent: percent(
    75,
    [1, 100],
    'E3b: how much of each of these one client may have; the rest is for the others while it floods. Before authentication a client is an address.',
  ),
  slowCallMs: ms(
    1000,
    [1, 3_600_000],
    'A call that takes longer is logged with its plan; what is usual stays out of the log.',
  ),
  slowCallsKept: count(
    50,
    [0, 10_000],
    'Slow calls that the console shows; each is held in memory with its plan.',
  ),
  recentErrorsMax: count(
    50,
    [0, 10_000],
    'Kinds of errors of an integration that the console shows; each is held in memory.',
  ),
  recencySignalsMax: count(
    500_000,
    [1, 100_000_000],
    'A5i: signals whose newest points are compared to find the silent ones; about 400 bytes of memory each.',
  ),
  diskFreeBytesMin: bytes(
    256 * MiB,
    [0, 1024 * GiB],
    'With less free disk the service says that it is not ready, before inserts begin to fail.',
  ),
  queueBytesMax: bytes(
    64 * MiB,
    [MiB, 4 * GiB],
    'Batches that wait for the disk; above it inserts are refused at once instead of dying slowly.',
  ),
  tokenTtlS: s(7200, [1, 86_400], 'A2: a token is valid for about 2 hours.'),
  tokenRequestsPerMinute: count(
    60,
    [1, 1_000_000],
    'A2: tokens of one client; programs that a scheduler runs take a token each.',
  ),
  tokenRequestsBurst: count(
    20,
    [1, 1_000_000],
    'A2: tokens of one client in immediate succession: several programs that start at the full minute.',
  ),
  sessionIdleS: s(
    43_200,
    [60, 31_536_000],
    'A browser that was not used for this long is signed out of the console.',
  ),
  sessionTtlS: s(
    604_800,
    [60, 31_536_000],
    'After so long a session of the console ends, however much it is used.',
  ),
  sessionsPerPersonMax: count(
    50,
    [1, 10_000],
    'A5b: a program that signs in again and again; a further session ends the oldest.',
  ),
  savedViewsMax: count(1000, [0, 10_000], 'A5g: saved views of all people; all are read to list them.'),
  savedViewsPerPersonMax: count(
    100,
    [0, 10_000],
    'A5g: saved views of one person, so that one cannot use up those of all.',
  ),
  publishRulesMax: count(
    50,
    [0, 1000],
    'P2: rules that are looked at for signals that are saved: one search each for every 100 of them.',
  ),
  calculatedItemsMax: count(
    1000,
    [0, 10_000],
    'C5: calculated items; all of them are looked at when one is saved, for who uses whom.',
  ),
  calculationInputsMax: count(
    50,
    [1, 1000],
    'C1: inputs of one calculated item, as many items as one evaluate references (Q12).',
  ),
  calculationLevelsMax: levels(
    8,
    [1, 64],
    'C5: calculated items that use calculated items: bounds what one read looks up, and how far back.',
  ),
  calculationItemsMax: count(
    500,
    [1, 10_000],
    'C2: items that the calculated items of one call are computed from, at all levels.',
  ),
  calculationVersionsMax: count(1000, [1, 100_000], 'C7: versions of one calculation that are kept.'),
  passwordsWaitingMax: count(
    16,
    [1, 1000],
    'A5e: passwords are checked one at a time, each for a quarter of a second with 128 MiB; above it 503.',
  ),
  wrongLoginsPerMinute: count(
    10,
    [1, 1_000_000],
    'L4e, A2: wrong secrets of one user name or client at one address; three times as many of one address at the token endpoint, and ten times as many of one address in all.',
  ),
  usageDaysMax: days(
    400,
    [1, 36_500],
    'L4: metered days that are kept: a year, and the month that is settled after it.',
  ),
  selectLimitMax: count(1000, [1, 100_000], 'R13: resources of one answer.'),
  resourceCharactersMax: {
    ...characters(
      16 * MiB,
      [4 * MiB, GiB],
      'R13: labels, annotations and states of the signals or items that a call reads; answered they take ten times that.',
    ),
    fixed: true,
  },
  itemsLimitMax: count(
    50,
    [1, 1000],
    'R13, Q12: items of one answer with data, and items that one evaluate references.',
  ),
  calculationsMax: count(100, [1, 1000], 'interface.md, service.evaluate.'),
  formulaCharactersMax: characters(1000, [1, 100_000], 'F6: bounds parsing and evaluation.'),
  paramsLevelsMax: levels(
    100,
    [10, 1000],
    'JSON nested without end; bounds recursion before any method has its own bound.',
  ),
  formulaLevelsMax: levels(64, [1, 256], 'F6: bounds recursion.'),
  formulaWorkMsMax: ms(
    5000,
    [1, 3_600_000],
    'F6: computing that the calculations of one call may take, estimated before anything is read.',
  ),
  formulaValuesMax: count(
    20_000_000,
    [1000, 1_000_000_000],
    'F6: results and intermediate results (8 bytes each) that calculations may hold at one time.',
  ),
  filterLevelsMax: levels(16, [1, 64], 'R14: bounds recursion.'),
  filterTermsMax: count(1000, [1, 10_000], 'R14: bounds the SQL of one query.'),
  patternCharactersMax: characters(
    1000,
    [1, 100_000],
    'R14: a $regex is compiled for every query, and run on every row.',
  ),
  patternSizeMax: count(
    1200,
    [20, 10_000],
    'R14b: instructions of all $regex of a query, counted before they are compiled: 1,000 take up to 50 ms to compile, and up to 0.6 s to match against the longest text.',
  ),
  patternWorkMax: count(
    1_000_000_000,
    [1_000_000, 1_000_000_000_000],
    'R14b: characters that the $regex of one query may look at, times their size: usually 5 s of one processor, two minutes at worst, in turns that end with the call.',
  ),
  sortKeysMax: count(16, [1, 64], 'R13: bounds the SQL of one query.'),
  liveWatchersMax: count(
    1000,
    [0, 100_000],
    'N6: streams of live values that are open; each holds a connection and a queue. One client has at most its share of them.',
  ),
  liveItemsMax: count(
    500,
    [1, 100_000],
    'N6: items of one stream, as many as a URL can name; their signals are looked up again whenever signals change.',
  ),
  liveQueueBytesMax: bytes(
    MiB,
    [16 * KiB, 256 * MiB],
    'N6: points that wait for a slow reader of live values; what is above it is read from the store when the reader has caught up.',
  ),
  mqttSessionsMax: count(
    50,
    [0, 10_000],
    'M3c: persistent sessions of one integration with the message broker: a message of the integration is stored for each that wants it.',
  ),
  mqttQueueMessagesMax: count(
    10_000,
    [1, 1_000_000],
    'M3d: messages that wait for the client of a persistent session; further ones are not queued.',
  ),
  mqttQueueBytesMax: bytes(
    4 * MiB,
    [KiB, 256 * MiB],
    'M3d: the bytes of these messages, which are among the metadata.',
  ),
  mqttSessionTtlS: s(
    259_200,
    [60, 31_536_000],
    'M3d: a persistent session whose client does not come for this long ends, with what waits for it.',
  ),
  offsetBucketsMax: count(1000, [0, 10_000], 'Q9, F4: buckets outside the window.'),
  windowDaysMax: days(40, [1, 100_000], 'L2: raw, or rollup below PT1M.'),
  windowMinuteDaysMax: days(400, [1, 100_000], 'L2: rollup from PT1M.'),
  windowDayDaysMax: days(1900, [1, 100_000], 'L2: rollup from PT24H.'),
  windowMonthDaysMax: days(3660, [1, 100_000], 'L2: rollup from P30D or a month, dataFrame only.'),
  exportColumnsMax: count(
    1000,
    [1, 10_000],
    'X2: series side by side in the wide form of an export; the long form has any number.',
  ),
  answerValuesMax: count(
    5_000_000,
    [1000, 100_000_000],
    'L3: rows × series of one answer; nothing is truncated, a larger answer is refused.',
  ),
  bucketColumnsMax: count(
    100_000_000,
    [1000, 100_000_000_000],
    'L3: buckets × columns that one call computes, empty ones too: about a second of a processor. They are computed in pieces and never held at once.',
  ),
} satisfies Record<string, Limit>;

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
  return limitTable[name].fixed !== true;
}
