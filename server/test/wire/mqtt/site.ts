/** A service with a broker, either its own or mosquitto, for tests that are about what both do. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { MqttClient } from 'mqtt';
import { Mosquitto } from '../../support/mosquitto.ts';
import { type ClientOptions, eventually, MqttRig, type Plant } from './rig.ts';

/** Which broker clients connect to, and in which version of MQTT. */
export interface SiteKind {
  name: string;
  version: 4 | 5;
  isOwn: boolean;
}

/** Mosquitto, in both versions. */
export const existingBrokers: readonly SiteKind[] = [
  { name: 'mosquitto with MQTT 3.1.1', version: 4, isOwn: false },
  { name: 'mosquitto with MQTT 5', version: 5, isOwn: false },
];

/** Every broker: the one that is built in speaks 3.1.1 only. */
export const everyBroker: readonly SiteKind[] = [
  { name: 'the broker that is built in', version: 4, isOwn: true },
  ...existingBrokers,
];

/** A service at a broker. */
export class Site {
  readonly rig: MqttRig;
  readonly #mosquitto: Mosquitto | null;
  readonly #version: 4 | 5;

  private constructor(rig: MqttRig, mosquitto: Mosquitto | null, version: 4 | 5) {
    this.rig = rig;
    this.#mosquitto = mosquitto;
    this.#version = version;
  }

  /** Starts both; null: mosquitto is not installed, and the test is skipped. They end with the test. */
  static async start(t: TestContext, { version, isOwn }: SiteKind): Promise<Site | null> {
    const mosquitto = isOwn ? null : await Mosquitto.start(t);
    if (!isOwn && mosquitto === null) return null;
    const rig =
      mosquitto === null
        ? await MqttRig.start()
        : await MqttRig.start({}, { mqtt: undefined, existingBroker: mosquitto.target([version]) });
    t.after(() => rig.close());
    const site = new Site(rig, mosquitto, version);
    if (!isOwn) await site.ready();
    return site;
  }

  /** The existing broker. */
  get broker(): Mosquitto {
    assert.ok(this.#mosquitto !== null);
    return this.#mosquitto;
  }

  /** Waits until the service has connected to the existing broker. */
  async ready(): Promise<void> {
    await eventually(async () => ((await this.state()) === 'ok' ? true : null));
  }

  /** What the service says about its connection to the existing broker. */
  async state(): Promise<string> {
    const answer = await fetch(`${this.rig.service.url}/readyz?verbose`);
    assert.equal(answer.status, 200);
    const { checks } = (await answer.json()) as { checks: Record<string, string> };
    return checks.broker;
  }

  /** A new integration, which the broker admits. */
  async plant(): Promise<Plant> {
    const plant = await this.rig.plant();
    await this.#mosquitto?.admit(plant.integration, plant.password);
    return plant;
  }

  /** A client that is connected to the broker. */
  connect(plant: Plant, options: ClientOptions = {}): Promise<MqttClient> {
    const place = this.#mosquitto === null ? {} : { brokerUrl: this.#mosquitto.url };
    return this.rig.connect(plant, { ...place, protocolVersion: this.#version, ...options });
  }

  /** Waits for points of an input: another broker acknowledges a message before it is stored. */
  points(plant: Plant, input: string, count: number): Promise<Map<number, number>> {
    return eventually(async () => {
      const points = await this.rig.points(plant, input);
      return points.size >= count ? points : null;
    });
  }
}
