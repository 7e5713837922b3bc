/** Remembers the series of remote write by the bytes of their labels, in two generations of bounded size. */
import { PartFault } from '#model/error';
import { compareText } from '#model/text';
import { newSeries, partProblem, type RowSeries } from '../series/series.ts';
import type { RowHead } from '../series/series-rows.ts';

/** Series of one generation; each takes about a kilobyte. */
const seriesMax = 50_000;

/** A series; it is its own head, since samples of different series have nothing in common but their time. */
export interface RemoteSeries {
  head: RowHead;
  series: RowSeries;
}

/** A series that cannot be stored; the message says why. */
export class SeriesFault extends PartFault {
  override readonly name = 'SeriesFault';
}

/** Series by a text that stands for their labels. */
export class SeriesMemory {
  #young = new Map<string, RemoteSeries>();
  #old = new Map<string, RemoteSeries>();
  /** By input key: two texts may stand for the same labels. */
  #byInput = new Map<string, RemoteSeries>();
  #oldByInput = new Map<string, RemoteSeries>();

  /** The series of a text. `readLabels` is asked when it is new. Fails with a {@link SeriesFault}. */
  find(key: string, readLabels: () => [string, string][]): RemoteSeries {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const found = this.#old.get(key) ?? this.#unique(seriesOf(readLabels()));
    if (this.#young.size >= seriesMax) this.#age();
    this.#young.set(key, found);
    this.#byInput.set(found.series.input, found);
    return found;
  }

  #unique(series: RowSeries): RemoteSeries {
    const { input } = series;
    const known = this.#byInput.get(input) ?? this.#oldByInput.get(input);
    return known ?? { head: { body: 0, slot: 0 }, series };
  }

  #age(): void {
    [this.#old, this.#oldByInput] = [this.#young, this.#byInput];
    this.#young = new Map();
    this.#byInput = new Map();
  }
}

/** The series of labels (I3): the metric's name is the measurement, the others are tags; an empty label is none. */
function seriesOf(labels: [string, string][]): RowSeries {
  const tags = labels.filter(([, value]) => value !== '').sort(([a], [b]) => compareText(a, b));
  const twice = tags.find(([key], i) => i > 0 && tags[i - 1][0] === key);
  if (twice !== undefined) throw new SeriesFault(`the label ${twice[0].slice(0, 100)} is given twice`);
  const measurement = tags.find(([key]) => key === '__name__')?.[1];
  if (measurement === undefined) throw new SeriesFault('a series has no label __name__');
  for (const [key, value] of tags) {
    const problem =
      partProblem('the name of a label', key) ?? partProblem(`the label ${key.slice(0, 100)}`, value);
    if (problem !== null) throw new SeriesFault(problem);
  }
  return newSeries({ measurement, tags: tags.filter(([key]) => key !== '__name__'), field: null });
}
