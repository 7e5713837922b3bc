/** DuckDB behind a minimal HTTP server, out of `bench-peers/`, which the product does not install. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Ask, type Peer, type PeerFrame, type PeerQuestion, post, requestBytes } from './peer.ts';
import { pick, type SqlDialect, sqlQuestions } from './sql.ts';

const folder = join(import.meta.dirname, '../../../bench-peers');

const dialect: SqlDialect = {
  bucket: (stepUs) => `(time // ${stepUs})::double`,
  berlinDay: `epoch(date_trunc('day', timezone('Europe/Berlin', make_timestamptz(time))))`,
  averageIf: (condition) => `avg(value) filter (where ${condition})`,
};

/** See the file's header. */
export const duckdb: Peer = {
  name: 'DuckDB',
  install: 'npm install --no-save --prefix bench-peers',
  note: 'synced, but a point that is sent twice is there twice',
  isInstalled: () => existsSync(join(folder, 'node_modules/@duckdb/node-api')),
  async start(directory) {
    const args = [join(folder, 'duckdb.ts'), join(directory, 'points.duckdb')];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout, 'data');
    const url = new URL(String(line).trim());
    return {
      ...{ url, process: child, questions: questionsTo(url) },
      insert: (frame) => requestBytes(url, '/insert', frameText(frame)),
      async label(groups) {
        const rows = [...groups].map(([number, group]) => `(${number}, 'label/${number}', '${group}')`);
        await post(url, '/query', `insert into signal values ${rows.join()}`);
        await post(url, '/query', 'create index by_group on signal (grp)');
      },
      settle: async () => void (await post(url, '/query', 'checkpoint')),
    };
  },
};

function frameText({ timesUs, series }: PeerFrame): string {
  const times = Array.from(timesUs, (us) => new Date(us / 1000).toISOString());
  const columns = Object.fromEntries(series.map(({ number, values }) => [number, Array.from(values)]));
  return JSON.stringify({ times, series: columns });
}

function questionsTo(url: URL): Partial<Record<Ask, PeerQuestion>> {
  const asked = Object.entries(sqlQuestions(dialect)) as [Ask, string][];
  const questions = asked.map(([ask, sql]) => {
    const text = sql
      .replace('select time,', 'select time::double,')
      .replaceAll('count(*)', 'count(*)::double');
    const read = (body: Buffer) => pick(ask, JSON.parse(body.toString('utf8')) as unknown[][]);
    return [ask, { request: requestBytes(url, '/query', text), read }];
  });
  return Object.fromEntries(questions);
}
