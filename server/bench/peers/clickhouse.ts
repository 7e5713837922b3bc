/** ClickHouse, from its Debian package: RowBinary in, columns of JSON out. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, untilAnswers } from '../service.ts';
import { type Ask, type Peer, type PeerFrame, type PeerQuestion, post, requestBytes } from './peer.ts';
import { pick, type SqlDialect, sqlQuestions } from './sql.ts';

const executable = ['/usr/sbin/clickhouse-server', '/usr/bin/clickhouse-server'].find(existsSync);

const dialect: SqlDialect = {
  bucket: (stepUs) => `intDiv(time, ${stepUs})`,
  berlinDay: `toDate(toDateTime(intDiv(time, 1000000)), 'Europe/Berlin')`,
  averageIf: (condition) => `avgIf(value, ${condition})`,
};

/** See the file's header. */
export const clickhouse: Peer = {
  name: 'ClickHouse',
  install: 'apt-get install clickhouse-server',
  note: 'acknowledged points are not synced; a point that is sent twice is there twice',
  isInstalled: () => executable !== undefined,
  async start(directory) {
    const [httpPort, tcpPort] = [await freePort(), await freePort()];
    const config = writeConfig(directory, httpPort, tcpPort);
    const child = spawn(executable ?? '', [`--config-file=${config}`], { stdio: 'ignore', cwd: directory });
    const url = new URL(`http://127.0.0.1:${httpPort}`);
    await untilAnswers(new URL('/ping', url), child);
    await post(
      url,
      '/',
      'create table point (signal UInt32, time Int64, value Float64) engine = MergeTree order by (signal, time) partition by tuple()',
    );
    await post(
      url,
      '/',
      'create table signal (number UInt32, name String, grp String) engine = MergeTree order by (grp, number) partition by tuple()',
    );
    return {
      ...{ url, process: child, questions: questionsTo(url) },
      insert: (frame) => requestBytes(url, `/?${insertQuery}`, rowBinary(frame)),
      async label(groups) {
        const rows = [...groups].map(([number, group]) => `(${number}, 'label/${number}', '${group}')`);
        await post(url, '/', `insert into signal values ${rows.join()}`);
      },
      async storedBytes() {
        const ofActiveParts =
          "select sum(bytes_on_disk) from system.parts where active and table = 'point' format TSV";
        return Number(await post(url, '/', ofActiveParts));
      },
      async settle() {
        await post(url, '/', 'optimize table point final');
        await post(url, '/', 'optimize table signal final');
      },
    };
  },
};

const insertQuery = new URLSearchParams({ query: 'insert into point format RowBinary' }).toString();

function writeConfig(directory: string, httpPort: number, tcpPort: number): string {
  for (const name of ['data', 'tmp', 'format']) mkdirSync(join(directory, name));
  const users = join(directory, 'users.xml');
  writeFileSync(
    users,
    `<yandex><profiles><default><max_memory_usage>4000000000</max_memory_usage></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
<quotas><default></default></quotas></yandex>`,
  );
  const config = join(directory, 'config.xml');
  writeFileSync(
    config,
    `<yandex><logger><level>error</level><log>${directory}/log</log><errorlog>${directory}/errors</errorlog></logger>
<http_port>${httpPort}</http_port><tcp_port>${tcpPort}</tcp_port><listen_host>127.0.0.1</listen_host>
<path>${directory}/data/</path><tmp_path>${directory}/tmp/</tmp_path><format_schema_path>${directory}/format/</format_schema_path>
<users_config>${users}</users_config><default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>500000000</mark_cache_size><timezone>UTC</timezone></yandex>`,
  );
  return config;
}

function rowBinary({ timesUs, series }: PeerFrame): Uint8Array {
  const bytes = new Uint8Array(timesUs.length * series.length * 20);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const { number, values } of series) {
    for (let i = 0; i < timesUs.length; i++) {
      view.setUint32(at, number, true);
      view.setBigInt64(at + 4, BigInt(timesUs[i]), true);
      view.setFloat64(at + 12, values[i], true);
      at += 20;
    }
  }
  return bytes;
}

function questionsTo(url: URL): Partial<Record<Ask, PeerQuestion>> {
  const path = `/?${new URLSearchParams({ output_format_json_quote_64bit_integers: '0' })}`;
  const asked = Object.entries(sqlQuestions(dialect)) as [Ask, string][];
  const questions = asked.map(([ask, sql]) => {
    const read = (body: Buffer) => pick(ask, columnsOf(body));
    return [
      ask,
      {
        request: requestBytes(url, path, `${sql.replaceAll('count(*)', 'count()')} format JSONCompact`),
        read,
      },
    ];
  });
  return Object.fromEntries(questions);
}

function columnsOf(body: Buffer): unknown[][] {
  const { meta, data } = JSON.parse(body.toString('utf8')) as { meta: object[]; data: unknown[][] };
  return meta.map((_, column) => data.map((row) => row[column]));
}
