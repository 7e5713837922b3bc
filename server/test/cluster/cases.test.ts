/** Runs every spec/cases/*.case on two nodes: each read and each write goes to the next one, whose stores are its own. */
import { after } from 'node:test';
import { limitDefaults } from '#model/limits';
import { caseSuite } from '../cases/suite.ts';
import { missingForNodes, nodeShape } from '../support/cluster-nodes.ts';
import { closeServers, newDatabases, nodesOn, openNodeStore } from '../support/node-stores.ts';
import { FixedClock, KeptLog, SeededRandom } from '../support/world.ts';

/** Each use of a member is that of the next one. */
function inTurns<T extends object>(all: readonly T[]): T {
  let turn = 0;
  return new Proxy(all[0], {
    get(_, name) {
      const one = all[turn++ % all.length];
      const member = Reflect.get(one, name, one);
      return typeof member === 'function' ? member.bind(one) : member;
    },
  });
}

async function openBoth() {
  const addresses = await newDatabases();
  const open = (seed: number) => {
    const environment = { log: new KeptLog(), random: new SeededRandom(seed), stopwatch: new FixedClock() };
    return openNodeStore(addresses, limitDefaults, environment);
  };
  const stores = [await open(1), await open(2)];
  const close = async () => void (await Promise.all(stores.map((store) => store.close())));
  return {
    meta: inTurns(stores.map(({ meta }) => meta)),
    series: inTurns(stores.map(({ series }) => series)),
    close,
  };
}

// Where no cluster is chosen, the cases of clickhouse/ suffice: nodes differ from stores by what they share alone.
if (nodesOn !== null && missingForNodes() === null) {
  caseSuite(`two nodes on ${nodeShape.name}`, openBoth);
  after(closeServers);
}
