/** What is asked of an export, after parsing. */
import type { CallPlace } from '#load/call-place';
import type { ExportForm, ExportPosition, ExportSubject } from '#model/export';
import type { Filter } from '#model/filter';
import type { Statistic } from '#model/statistic';
import type { RunStep } from '#model/steps';
import type { Width } from '../query/request.ts';

/** One export. Every field is checked by Export. */
export interface ExportRequest {
  subject: ExportSubject;
  /** Null: those that the filter matches. Each once. */
  ids: readonly string[] | null;
  filter: Filter;
  form: ExportForm;
  /** Inclusive start, µs; null: the oldest point. */
  fromUs: number | null;
  /** Exclusive end, µs; null: after the newest point. */
  beforeUs: number | null;
  /** Null: raw points. */
  rollup: Width | null;
  /** TZ database name, which decides about buckets. */
  timeZone: string;
  /** 1 Monday … 7 Sunday. */
  firstDayOfWeek: number;
  /** Of each bucket; null: the average, of enums the seconds in each state. */
  statistics: readonly Statistic[] | null;
  /** Whether the resources are described before their points; long form only. */
  hasMetadata: boolean;
  /** Null: from the beginning. */
  after: ExportPosition | null;
}

/** What an export works with while it runs. */
export interface ExportOptions {
  /** Ends it, with its reason. */
  signal: AbortSignal;
  /** Takes a place among the reads, for one piece. */
  enter(): CallPlace | Promise<CallPlace>;
  runStep: RunStep;
}
