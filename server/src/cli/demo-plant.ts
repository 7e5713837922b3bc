/** The demo's recording: a pump that fills a tank. Computed, and the same for the same present. */
import type { SignalChange } from '#domain/signals/change';
import { Columns } from '#model/frame';

const minuteUs = 60_000_000;
const dayMinutes = 1440;
const rowCount = 7 * dayMinutes;

/** The signals of the plant by input key, in the order of the values of a row. */
export const plantSignals: ReadonlyMap<string, SignalChange> = new Map([
  ['pump-1/flow', describe('Pump 1 flow', { engUnit: 'm³/h' })],
  ['pump-1/pressure', describe('Pump 1 pressure', { engUnit: 'bar' })],
  ['pump-1/power', describe('Pump 1 power', { engUnit: 'kW' })],
  ['pump-1/bearing', describe('Pump 1 bearing temperature', { engUnit: '°C' })],
  ['tank-1/level', describe('Tank 1 level', { engUnit: '%' })],
  ['outdoor/temperature', describe('Outdoor temperature', { engUnit: '°C' })],
  ['pump-1/state', describe('Pump 1 state', { valueType: 'enum', enumValues: stateNames() })],
]);

const keys = [...plantSignals.keys()];

/** A row of the plant, with a value for each signal; NaN where nothing was recorded. */
export interface PlantRow {
  timeUs: number;
  values: readonly number[];
}

/** The rows as a frame. */
export function frameOf(rows: readonly PlantRow[]): Columns {
  const times = Float64Array.from(rows, ({ timeUs }) => timeUs);
  const values = keys.flatMap((_, key) => rows.map((row) => row.values[key]));
  const pointCount = values.filter((value) => !Number.isNaN(value)).length;
  return new Columns(times, keys, Float64Array.from(values), pointCount);
}

/** The rows of the seven days before `nowUs`, one a minute, with two gaps and one fault; and the simulation that goes on after them. */
export function makePlant(nowUs: number): { rows: PlantRow[]; simulation: Simulation } {
  const simulation = new Simulation(Math.floor(nowUs / minuteUs) - rowCount + 1);
  return { rows: simulation.rowsUntil(nowUs), simulation };
}

/** Rows without data: a recorder that was off, and a sensor that was taken out. */
interface Gap {
  from: number;
  until: number;
}

const recorderOff: Gap = { from: 2 * dayMinutes + 200, until: 2 * dayMinutes + 245 };
const sensorOut: Gap = { from: 4 * dayMinutes + 600, until: 4 * dayMinutes + 790 };
const fault: Gap = { from: 5 * dayMinutes + 300, until: 5 * dayMinutes + 338 };

function isIn({ from, until }: Gap, row: number): boolean {
  return row >= from && row < until;
}

/** The plant, a row a minute. */
export class Simulation {
  #row = 0;
  #minute: number;
  /** Of the bearing, 0 cold to 1 warm. */
  #warmth = 0.6;
  /** In the tank, m³. */
  #volume = 240;

  constructor(firstMinute: number) {
    this.#minute = firstMinute;
  }

  /** The time of the next row, µs. */
  get nextUs(): number {
    return this.#minute * minuteUs;
  }

  /** The rows from the next one to `nowUs`. */
  rowsUntil(nowUs: number): PlantRow[] {
    const rows: PlantRow[] = [];
    while (this.nextUs <= nowUs) rows.push({ timeUs: this.nextUs, values: this.#next() });
    return rows;
  }

  #next(): number[] {
    const row = this.#row++;
    const minute = this.#minute++;
    const state = pumpState(row, minute);
    // The share of its full speed at which the pump turns.
    const speed = [0, 0.5, 1, 0][state];
    const flow = round(speed * (42 + 4 * daily(minute, 9) + noise(row, 1)), 2);
    const pressure = round(0.4 + speed * (5.2 + 0.1 * noise(row, 2)), 3);
    const power = round(0.1 + speed * (10.5 + 0.2 * noise(row, 3)) + 0.03 * flow, 2);
    const outdoor = round(8 + 5 * daily(minute, 15) + 0.8 * noise(row >> 5, 6), 1);
    const bearing = this.#bearing(row, speed);
    const level = this.#level(row, minute, flow);
    if (isIn(recorderOff, row)) return keys.map(() => Number.NaN);
    return [flow, pressure, power, bearing, isIn(sensorOut, row) ? Number.NaN : level, outdoor, state];
  }

  /** Follows the pump's work with a time constant of half an hour. */
  #bearing(row: number, speed: number): number {
    this.#warmth += (speed - this.#warmth) / 30;
    return round(18 + 34 * this.#warmth + 0.2 * noise(row, 4), 1);
  }

  /** What the pump brings less what the town takes, in a tank of 400 m³; its overflow and the town's thrift keep it in bounds. */
  #level(row: number, minute: number, flow: number): number {
    const thrift = Math.min(1, this.#volume / 120);
    const taken = (29 + 9 * daily(minute, 19) + 2 * noise(row >> 3, 5)) * thrift;
    this.#volume = Math.min(400, Math.max(0, this.#volume + (flow - taken) / 60));
    return round(this.#volume / 4, 2);
  }
}

/** The number of a state: an hour and a half a cycle, two thirds of it at work. */
function pumpState(row: number, minute: number): number {
  if (isIn(fault, row)) return 3;
  const inCycle = minute % 90;
  if (inCycle < 2) return 1;
  return inCycle < 62 ? 2 : 0;
}

function stateNames(): Map<string, string> {
  return new Map(['stopped', 'starting', 'running', 'fault'].map((name, number) => [String(number), name]));
}

function describe(name: string, others: SignalChange): SignalChange {
  const labels = new Map([
    ['site', ['Demo plant']],
    ['unit', [name.split(' ').slice(0, -1).join(' ')]],
  ]);
  return { name, labels, sampleIntervalUs: minuteUs, gapDetectionUs: 5 * minuteUs, ...others };
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
