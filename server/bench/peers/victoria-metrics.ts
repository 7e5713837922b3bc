/** VictoriaMetrics, from its Debian package: JSON lines in, MetricsQL out. Keeps milliseconds, and syncs now and then. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { freePort, untilAnswers } from '../service.ts';
import { minuteUs, weekStartUs } from '../stored.ts';
import {
  type Ask,
  askedGroup,
  type Peer,
  type PeerFrame,
  type PeerQuestion,
  post,
  requestBytes,
  secondSignal,
} from './peer.ts';

const executable = '/usr/bin/victoria-metrics';

/** See the file's header. */
export const victoriaMetrics: Peer = {
  name: 'VictoriaMetrics',
  install: 'apt-get install victoria-metrics',
  note: 'acknowledged points are not on disk yet; whole milliseconds only',
  isInstalled: () => existsSync(executable),
  async start(directory) {
    const port = await freePort();
    const args = [
      ...[`-storageDataPath=${directory}`, `-httpListenAddr=127.0.0.1:${port}`, '-retentionPeriod=100y'],
      ...['-loggerLevel=ERROR', '-search.disableCache', '-search.latencyOffset=0s'],
      // It would end connections after two minutes, in the middle of a measurement.
      ...['-http.connTimeout=1h', '-http.idleConnTimeout=1h'],
    ];
    const child = spawn(executable, args, { stdio: 'ignore' });
    const url = new URL(`http://127.0.0.1:${port}`);
    await untilAnswers(new URL('/health', url), child);
    return {
      ...{ url, process: child, questions: questionsTo(url) },
      insert: (frame) => requestBytes(url, '/api/v1/import', importLines(frame)),
      async label(groups) {
        const lines = [...groups].map(([number, group]) =>
          JSON.stringify({
            ...{ metric: { __name__: 'l', n: String(number), group }, values: [0] },
            timestamps: [weekStartUs / 1000],
          }),
        );
        await post(url, '/api/v1/import', lines.join('\n'));
      },
      async settle() {
        await post(url, '/internal/force_flush');
        await post(url, '/internal/force_merge');
      },
    };
  },
};

function importLines({ timesUs, series }: PeerFrame): string {
  const timestamps = `[${Array.from(timesUs, (us) => Math.floor(us / 1000)).join()}]`;
  return series
    .map(({ number, set, values }) => {
      const metric = `{"__name__":"p","set":"${set}","n":"${number}"}`;
      return `{"metric":${metric},"values":[${Array.from(values).join()}],"timestamps":${timestamps}}`;
    })
    .join('\n');
}

/** What the API of Prometheus answers. */
interface Matrix {
  data: { result: { metric: Record<string, string>; values: [number, string][]; value: [number, string] }[] };
}

function questionsTo(url: URL): Partial<Record<Ask, PeerQuestion>> {
  const startS = weekStartUs / 1e6;
  const range = (query: string, stepS: number, seconds: number) => {
    // A lookbehind window is open at its start and closed at its end; ours are the other way round.
    const [start, end] = [startS + stepS - 0.001, startS + seconds - 0.001];
    const params = new URLSearchParams({ query, step: `${stepS}s`, nocache: '1' });
    return requestBytes(url, `/api/v1/query_range?${params}&start=${start}&end=${end}`);
  };
  const parse = (body: Buffer) => (JSON.parse(body.toString('utf8')) as Matrix).data.result;
  const valuesWhere = (labels: Record<string, string>) => (body: Buffer) => {
    const isWanted = ({ metric }: { metric: Record<string, string> }) =>
      Object.entries(labels).every(([key, value]) => metric[key] === value);
    return (parse(body).find(isWanted)?.values ?? []).map(([, value]) => Number(value));
  };
  const weekS = 10_080 * 60;
  const all = '"sum_over_time","min_over_time","max_over_time","avg_over_time","count_over_time"';
  const hourOf = (n: number) => `avg_over_time(p{set="minutes",n="${n}"}[1h])`;
  const raw = `match[]=${encodeURIComponent(`p{n="${secondSignal(0)}"}`)}`;
  const instant = new URLSearchParams({
    query: `avg_over_time(p{set="minutes"}[${weekS}s])`,
    time: String(startS + weekS - 0.001),
    nocache: '1',
  });
  const label = `match[]=${encodeURIComponent(`l{group="${askedGroup}"}`)}`;
  const period = `start=${startS - 3600}&end=${startS + weekS}`;
  return {
    raw: {
      request: requestBytes(url, `/api/v1/export?${raw}&${period}`),
      read: (body) => (JSON.parse(body.toString('utf8')) as { values: number[] }).values,
    },
    hours: {
      request: range(`aggr_over_time((${all}), p{set="minutes"}[1h])`, 3600, weekS),
      read: valuesWhere({ n: '8', rollup: 'sum_over_time' }),
    },
    window: {
      request: requestBytes(url, `/api/v1/query?${instant}`),
      read: (body) => [Number(parse(body).find(({ metric }) => metric['n'] === '8')?.value[1])],
    },
    minutes: {
      request: range('avg_over_time(p{set="seconds"}[1m])', minuteUs / 1e6, 21_600),
      read: valuesWhere({ n: String(secondSignal(2)) }),
    },
    formula: {
      request: range(`(${hourOf(1)} + ignoring(n) ${hourOf(2)}) / 2 - ignoring(n) ${hourOf(3)}`, 3600, weekS),
      read: valuesWhere({}),
    },
    label: {
      request: requestBytes(url, `/api/v1/series?${label}&${period}`),
      read: (body) => {
        const { data } = JSON.parse(body.toString('utf8')) as { data: { n: string }[] };
        return data.map(({ n }) => Number(n)).sort((a, b) => a - b);
      },
    },
  };
}
