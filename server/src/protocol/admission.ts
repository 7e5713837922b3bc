/** Which calls may run now: each kind of work has a lane of its own, so that heavy reading never holds up what is light. */
import { Frame } from '#model/frame';
import type { Limits } from '#model/limits';
import type { Answer } from './answer.ts';
import { Budget } from './budget.ts';
import { Lane, type LaneWidth, type Leave } from './lane.ts';
import { Overload } from './overload.ts';

/**
 * What running a method costs. `insert`: memory for its points until they are on disk, which the store bounds; `read`:
 * computing on the reader threads, and a large answer; `change`: metadata, read or written, short but one after the other.
 */
export type Load = 'insert' | 'read' | 'change';

/** The limits that decide. */
export type AdmissionLimits = Pick<
  Limits,
  | 'readsMax'
  | 'readsWaitingMax'
  | 'changesMax'
  | 'changesWaitingMax'
  | 'answersBytesMax'
  | 'integrationSharePercent'
>;

/** What admission looks at now, by lane. */
export interface LaneFigures {
  lane: string;
  runningCount: number;
  waitingCount: number;
}

/** Lets calls in. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #reads: Lane;
  readonly #changes: Lane;
  readonly #answers: Budget;

  /** `limits` is read at each call. */
  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
    this.#reads = new Lane('reads', () => this.#width(limits.readsMax, limits.readsWaitingMax));
    this.#changes = new Lane('calls', () => this.#width(limits.changesMax, limits.changesWaitingMax));
    this.#answers = new Budget(
      () => limits.answersBytesMax,
      () => limits.integrationSharePercent / 100,
    );
  }

  /** A place for a call; null where none is needed. Rejects as {@link Lane.enter}; to be left when the call has ended. */
  enter(load: Load, integration: string, signal: () => AbortSignal): Leave | Promise<Leave> | null {
    if (load === 'insert') return null;
    if (load === 'change') return this.#changes.enter(integration, signal);
    if (this.#answers.isOver(integration, 1)) return Promise.reject(tooManyAnswers());
    return this.#reads.enter(integration, signal);
  }

  /** Counts an answer that waits for its client to take it; the function it gives ends that. */
  holdAnswer(integration: string, answer: Answer): Leave {
    const bytes = frameBytes(answer);
    if (bytes === 0) return () => {};
    this.#answers.force(integration, bytes);
    return () => this.#answers.give(integration, bytes);
  }

  /** Bytes of frames that wait for their clients. */
  get answersBytes(): number {
    return this.#answers.takenAmount;
  }

  /** How full the lanes are. */
  get lanes(): LaneFigures[] {
    return [figuresOf('read', this.#reads), figuresOf('change', this.#changes)];
  }

  #width(runningMax: number, waitingMax: number): LaneWidth {
    const share = this.#limits.integrationSharePercent / 100;
    return { runningMax, waitingMax, ownRunningMax: Math.max(1, Math.floor(runningMax * share)) };
  }
}

function figuresOf(lane: string, { runningCount, waitingCount }: Lane): LaneFigures {
  return { lane, runningCount, waitingCount };
}

function tooManyAnswers(): Overload {
  return new Overload('Try again: too many large answers wait for their clients to read them');
}

/** What the frames of an answer take in memory, bytes; text is small beside them. */
function frameBytes(answer: Answer): number {
  return answer.reduce(
    (bytes, part) =>
      part instanceof Frame ? bytes + part.timesUs.length * 8 * (1 + part.series.size) : bytes,
    0,
  );
}
