/** A ZooKeeper of Debian's, over which replicas of ClickHouse agree. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePorts, ServerProcess } from './server-process.ts';

/** The archive that Debian's package `libzookeeper-java` installs; it names what it needs. */
export const zookeeperArchive = '/usr/share/java/zookeeper.jar';

/** A running ZooKeeper. */
export interface ZooKeeper {
  port: number;
  process: ServerProcess;
}

/** Starts one that keeps its data in this directory. */
export async function startZooKeeper(directory: string): Promise<ZooKeeper> {
  const [port] = await freePorts(1);
  mkdirSync(join(directory, 'data'), { recursive: true });
  const settings = {
    ...{ dataDir: join(directory, 'data'), clientPort: port, clientPortAddress: '127.0.0.1' },
    ...{ '4lw.commands.whitelist': 'srvr', tickTime: 1000, 'admin.enableServer': false, forceSync: 'no' },
  };
  const config = join(directory, 'zoo.cfg');
  writeFileSync(
    config,
    Object.entries(settings)
      .map((pair) => pair.join('='))
      .join('\n'),
  );
  const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
  const memory = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
  const process = await ServerProcess.start({
    file: 'java',
    args: [...memory, '-cp', zookeeperArchive, main, config],
    output: join(directory, 'output'),
  });
  await process.ready(() => isServing(port));
  return { port, process };
}

/** It listens some time before it serves. */
function isServing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('srvr'));
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text;
    });
    // A connection that was accepted too early is never answered.
    socket.setTimeout(1000, () => socket.destroy());
    socket.on('error', () => resolve(false)).on('close', () => resolve(answer.includes('Mode:')));
  });
}
