/** The demo's recording: a pump that fills a tank. Computed, and the same for the same present. */
import type { SignalChange } from '#domain/signals/change';

/** A signal of the plant and its recording. */
export interface DemoSignal {
  input: string;
  change: SignalChange;
  /** One for each time; NaN where nothing was recorded. */
  values: Float64Array;
}

/** The whole recording. */
export interface DemoPlant {
  timesUs: Float64Array;
  signals: readonly DemoSignal[];
}

const minuteUs = 60_000_000;
const dayMinutes = 1440;
const rowCount = 7 * dayMinutes;

/** Makes the recording of the seven days before `nowUs`: one row a minute, seven signals, two gaps, one fault. */
export function makePlant(nowUs: number): DemoPlant {
  const endUs = Math.floor(nowUs / minuteUs) * minuteUs;
  const timesUs = column((row) => endUs - (rowCount - 1 - row) * minuteUs);
  const minutes = timesUs.map((us) => us / minuteUs);
  const state = column((row) => pumpState(row, minutes[row]));
  // The share of its full speed at which the pump turns.
  const speed = state.map((value) => [0, 0.5, 1, 0][value]);
  const flow = column((row) => round(speed[row] * (42 + 4 * daily(minutes[row], 9) + noise(row, 1)), 2));
  const signals = [
    numeric('pump-1/flow', 'Pump 1 flow', 'm³/h', flow),
    numeric('pump-1/pressure', 'Pump 1 pressure', 'bar', pressure(speed)),
    numeric('pump-1/power', 'Pump 1 power', 'kW', power(speed, flow)),
    numeric('pump-1/bearing', 'Pump 1 bearing temperature', '°C', bearing(speed)),
    numeric('tank-1/level', 'Tank 1 level', '%', without(level(flow, minutes), sensorOut)),
    numeric('outdoor/temperature', 'Outdoor temperature', '°C', outdoor(minutes)),
    pumpStates(state),
  ];
  return {
    timesUs,
    signals: signals.map((signal) => ({ ...signal, values: without(signal.values, recorderOff) })),
  };
}

/** Rows without data: a recorder that was off, and a sensor that was taken out. */
interface Gap {
  from: number;
  until: number;
}

const recorderOff: Gap = { from: 2 * dayMinutes + 200, until: 2 * dayMinutes + 245 };
const sensorOut: Gap = { from: 4 * dayMinutes + 600, until: 4 * dayMinutes + 790 };
const fault: Gap = { from: 5 * dayMinutes + 300, until: 5 * dayMinutes + 338 };

/** 0 stopped, 1 starting, 2 running, 3 fault: an hour and a half a turn, two thirds of it at work. */
function pumpState(row: number, minute: number): number {
  if (row >= fault.from && row < fault.until) return 3;
  const inTurn = minute % 90;
  if (inTurn < 2) return 1;
  return inTurn < 62 ? 2 : 0;
}

function pumpStates(state: Float64Array): DemoSignal {
  const names = ['stopped', 'starting', 'running', 'fault'];
  const enumValues = new Map(names.map((name, number) => [String(number), name]));
  const change = { ...describe('Pump 1 state'), valueType: 'enum', enumValues };
  return { input: 'pump-1/state', change, values: state };
}

function pressure(speed: Float64Array): Float64Array {
  return column((row) => round(0.4 + speed[row] * (5.2 + 0.1 * noise(row, 2)), 3));
}

function power(speed: Float64Array, flow: Float64Array): Float64Array {
  return column((row) => round(0.1 + speed[row] * (10.5 + 0.2 * noise(row, 3)) + 0.03 * flow[row], 2));
}

/** Follows the pump's work with a time constant of half an hour. */
function bearing(speed: Float64Array): Float64Array {
  let warmth = 0.6;
  return column((row) => {
    warmth += (speed[row] - warmth) / 30;
    return round(18 + 34 * warmth + 0.2 * noise(row, 4), 1);
  });
}

/** What the pump brings less what the town takes, in a tank of 400 m³; its overflow and the town's thrift keep it in bounds. */
function level(flow: Float64Array, minutes: Float64Array): Float64Array {
  let volume = 240;
  return column((row) => {
    const thrift = Math.min(1, volume / 120);
    const taken = (29 + 9 * daily(minutes[row], 19) + 2 * noise(row >> 3, 5)) * thrift;
    volume = Math.min(400, Math.max(0, volume + (flow[row] - taken) / 60));
    return round(volume / 4, 2);
  });
}

function outdoor(minutes: Float64Array): Float64Array {
  return column((row) => round(8 + 5 * daily(minutes[row], 15) + 0.8 * noise(row >> 5, 6), 1));
}

function numeric(input: string, name: string, engUnit: string, values: Float64Array): DemoSignal {
  return { input, change: { ...describe(name), engUnit }, values };
}

function describe(name: string): SignalChange {
  const labels = new Map([
    ['site', ['Demo plant']],
    ['unit', [name.split(' ').slice(0, -1).join(' ')]],
  ]);
  return { name, labels, sampleIntervalUs: minuteUs, gapDetectionUs: 5 * minuteUs };
}

function column(value: (row: number) => number): Float64Array {
  return Float64Array.from({ length: rowCount }, (_, row) => value(row));
}

function without(values: Float64Array, gap: Gap): Float64Array {
  return values.map((value, row) => (row >= gap.from && row < gap.until ? Number.NaN : value));
}

/** -1..1 with a period of a day, 1 at this hour of UTC. */
function daily(minute: number, hour: number): number {
  return Math.cos(((minute / 60 - hour) / 24) * 2 * Math.PI);
}

/** -1..1, looks random and is not: a hash of its arguments (Wang 2007). */
function noise(row: number, seed: number): number {
  let hash = Math.imul(row + seed * 65_537, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 31 - 1;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
