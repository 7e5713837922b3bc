/**
 * Commands of the documents that are not executed in place: what is tested in another place, and what no test
 * can carry out, with the reason. In ```console blocks everything is carried out; this is about ```sh blocks.
 */

/** How a command begins → where it is tested, or why it is not. */
export const elsewhere: ReadonlyMap<string, string> = new Map([
  ['curl --compressed -u', 'test/wire/export/export-route.test.ts makes the same request'],
  ['tidemark calculated', 'test/cli/calculated.test.ts; the page has IDs of nobody'],
  ['git clone', 'there is no public address of the project yet'],
  ['git pull', 'there is no public address of the project yet'],
  ['cd tidemark', 'goes with git clone'],
  ['tidemark check-stores', 'test/cluster/commands.test.ts, on servers of its own'],
  ['tidemark serve --meta-url-file', 'test/cluster/commands.test.ts, with the addresses in the environment'],
  ['tidemark migrate', 'test/cluster/migrate.test.ts, between servers and directories of its own'],
  ['pg_dump', 'not carried out: the page says so'],
  ['clickhouse-client', 'not carried out: the page says so'],
  ['psql', 'not carried out: the page says so'],
  ['tidemark mcp --listen', 'mcp/test/mcp.test.ts, on a free port'],
  [
    'tidemark serve --mqtt-port',
    'test/wire/mqtt starts the broker; a port of its own cannot be promised here',
  ],
  ['tidemark integration create plant', 'test/cli/identity.test.ts; the page needs a broker for the rest'],
  ['openssl rand', 'makes a token in /etc; the tests make their own'],
  [
    'tidemark serve --mqtt-auth-token-file',
    'test/wire/mqtt/hooks.test.ts, and the option in test/cli/mqtt.test.ts',
  ],
  ["echo 'mqtts://", 'writes a file in /etc; test/cli/mqtt.test.ts has one of its own'],
  ['tidemark serve --mqtt-url-file', 'test/cli/mqtt.test.ts, with a mosquitto of its own'],
  ['mosquitto_pub', 'test/wire/mqtt/clients.test.ts runs mosquitto_pub and mosquitto_sub'],
  ['mosquitto_sub', 'test/wire/mqtt/clients.test.ts'],
  ['tidemark serve --host 0.0.0.0', 'would listen beyond this machine; test/wire/operate/tls.test.ts'],
  ['npm ci', '.ci/run begins with it'],
  ['sudo docs/operate/install.sh', 'test/packaging/systemd.test.ts, into a directory that stands for /'],
  ['sudo systemd-sysusers', 'test/packaging/systemd.test.ts, into a directory that stands for /'],
  [
    'sudo systemctl enable --now',
    'enabling: test/packaging/systemd.test.ts; starting needs systemd as process 1',
  ],
  ['sudo systemctl daemon-reload', 'needs systemd as process 1'],
  [
    'sudo systemctl restart',
    'needs systemd as process 1; test/cli/serve.test.ts stops and starts the service',
  ],
  ['sudo systemctl stop', 'test/docs/pages.test.ts, backup.md'],
  ['sudo systemctl start', 'test/docs/pages.test.ts, backup.md'],
  [
    'sudo mv /usr/lib/tidemark',
    'changes the machine; that the old program is kept: test/packaging/systemd.test.ts',
  ],
  ['sudo cp -a tidemark-backup', 'changes the machine; the same without sudo: backup.md'],
  ['sudo chown', 'changes the machine'],
  [
    'docker compose',
    'needs a Docker engine; test/packaging/image.test.ts carries the Dockerfile out without one',
  ],
]);
