/**
 * One server of ClickHouse 26.7, from the npm package chdb: `node clickhouse.cjs DIRECTORY TCP-PORT HTTP-PORT CONFIG`.
 * It is clickhouse-local, told to listen, reading lines from stdin: it ends when its parent closes stdin or ends.
 */
const { DataType, load, open } = require('ffi-rs');
const { libchdbPath } = require('chdb/libchdb');

const [directory, tcpPort, httpPort, config] = process.argv.slice(2);
const listen = 'SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP; SELECT count() FROM table';
const args = [
  ...['clickhouse', '--path', directory, '--config-file', config],
  ...['--listen_host', '127.0.0.1', '--tcp_port', tcpPort, '--http_port', httpPort],
  ...['--structure', 'l String', '--input-format', 'LineAsString', '--query', listen],
];
open({ library: 'chdb', path: libchdbPath() });
const result = load({
  ...{ library: 'chdb', funcName: 'chdb_query_cmdline', retType: DataType.External },
  ...{ paramsType: [DataType.I32, DataType.StringArray], paramsValue: [args.length, args] },
});
process.exit(result ? 0 : 1);
