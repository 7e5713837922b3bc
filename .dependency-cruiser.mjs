/** The layers as rules: which folder may import which. A broken rule says where the code belongs instead. */

const server = '^server/src/';

/** A folder of server/src may import only the folders listed, itself, and the packages listed. */
function layer(name, from, mayImport, comment) {
  return {
    name,
    severity: 'error',
    comment,
    from: { path: `${server}${from}` },
    to: { path: server, pathNot: mayImport.map((path) => `${server}${path}`) },
  };
}

/** The files of the client that need Node. */
const nodeOnly = 'file-queue|point-bytes|directory-lock|flush-on-exit';

/** A package has one sole importer: only files under `path` import it. */
function soleImporter(name, module, path) {
  return {
    name: `soleImporter-${name}`,
    severity: 'error',
    comment: `Only ${path} knows ${name}; go through what it exports.`,
    from: { path: '^(server|client|console|mcp)/src/', pathNot: `^${path}` },
    to: { path: module },
  };
}

/** A folder of console/src may import only itself, the folders listed, and packages. */
function consoleLayer(name, mayImport, comment) {
  return {
    name: `console-${name}`,
    severity: 'error',
    comment,
    from: { path: `^console/src/${name}/` },
    to: { path: '^console/src/', pathNot: [name, ...mayImport].map((folder) => `^console/src/${folder}/`) },
  };
}

export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Two files that need each other are one file, or miss a third.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'Nothing reaches this file: delete it.',
      from: { orphan: true, path: '^(server|client|mcp)/src/' },
      to: {},
    },
    {
      name: 'resolvable',
      severity: 'error',
      comment: 'The import does not resolve.',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'declared-dependencies',
      severity: 'error',
      comment:
        'A package that the product imports is a dependency of that workspace, not a dev or transitive one. (client/src/arrow.ts: an optional peer, see client/build.mjs.)',
      from: { path: '^(server|client|mcp)/src/', pathNot: '^client/src/arrow\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'model-imports-nothing',
      severity: 'error',
      comment:
        'model/ is pure: nouns without clock, disk or library. (zone.ts may use the calendar library, pattern.ts the RE2 library.)',
      from: { path: `${server}model/` },
      to: { pathNot: [`${server}model/`, 'node_modules/temporal-polyfill/', 'node_modules/re2js/'] },
    },
    layer(
      'layer-codec',
      'storage/codec/',
      ['storage/codec/', 'model/'],
      'The codec is pure bytes and columns.',
    ),
    layer(
      'layer-formula',
      'domain/formula/',
      ['domain/formula/', 'model/'],
      'Formulas compute over columns only.',
    ),
    layer(
      'layer-store',
      'storage/(coordination|(meta-)?store)\\.ts',
      ['storage/meta-store\\.ts', 'model/'],
      'The interface uses nouns of the model only.',
    ),
    layer(
      'layer-threads',
      'threads/',
      ['threads/', 'storage/(coordination|meta-store)\\.ts', 'model/'],
      'What threads share is numbers and messages, whatever they mean.',
    ),
    layer(
      'layer-meta',
      'storage/meta/',
      ['storage/meta/', 'storage/(coordination|(meta-)?store)\\.ts', 'threads/', 'model/'],
      'SQL written once.',
    ),
    layer(
      'layer-sqlite',
      'storage/sqlite/',
      [
        'storage/sqlite/',
        'storage/(coordination|(meta-)?store)\\.ts',
        'storage/meta/',
        'storage/codec/',
        'threads/',
        'model/',
      ],
      'A backend knows its driver, the store interface and the shared SQL; no other backend and nothing above.',
    ),
    layer(
      'layer-postgres',
      'storage/postgres/',
      [
        'storage/postgres/',
        'storage/(coordination|(meta-)?store)\\.ts',
        'storage/meta/',
        'threads/',
        'model/',
      ],
      'A backend knows its driver, the store interface and the shared SQL; no other backend and nothing above.',
    ),
    layer(
      'layer-clickhouse',
      'storage/clickhouse/',
      ['storage/clickhouse/', 'storage/(coordination|store)\\.ts', 'threads/', 'model/'],
      'A store of points knows its driver and the store interface; no metadata and no other backend.',
    ),
    layer(
      'layer-load',
      'load/',
      ['load/', 'threads/', 'model/'],
      'Load control knows requests only by what they hold.',
    ),
    layer(
      'layer-domain',
      'domain/',
      ['domain/', 'storage/(coordination|(meta-)?store)\\.ts', 'load/', 'threads/', 'model/'],
      'The domain has no HTTP word and no SQL word.',
    ),
    layer(
      'layer-protocol',
      'protocol/',
      ['protocol/', 'load/', 'threads/', 'storage/coordination\\.ts', 'model/'],
      'The protocol knows the shape of a call, no signal.',
    ),
    layer(
      'layer-methods',
      'methods/',
      ['methods/', 'protocol/', 'domain/', 'load/', 'model/'],
      'A method checks, calls down once, and shapes the result.',
    ),
    layer(
      'layer-transport',
      'transport/',
      ['transport/', 'protocol/', 'load/', 'threads/', 'storage/coordination\\.ts', 'model/'],
      'Transport moves bytes; what they mean arrives as a constructor argument.',
    ),
    {
      name: 'transports-apart',
      severity: 'error',
      comment:
        'HTTP knows nothing of the broker; of HTTP the broker uses the certificate, content codings and how to listen.',
      from: { path: `${server}transport/http/` },
      to: { path: `${server}transport/mqtt/` },
    },
    layer(
      'layer-observe',
      'observe/',
      [
        'observe/',
        'transport/http/observer\\.ts',
        'protocol/',
        'load/',
        'storage/(coordination|(meta-)?store)\\.ts',
        'threads/',
        'model/',
      ],
      'Who observes knows the shapes that the others hand out, and is called by none of them by name.',
    ),
    {
      name: 'client-imports-nothing',
      severity: 'error',
      comment:
        'The client has no dependency, so that it runs everywhere. (arrow.ts: an optional one; files of Node below.)',
      from: { path: '^client/src/', pathNot: `^client/src/(arrow|${nodeOnly})\\.ts$` },
      to: { pathNot: '^client/src/' },
    },
    {
      name: 'client-node-only',
      severity: 'error',
      comment:
        'What browsers load carries no files of Node: these are entries of their own in client/package.json.',
      from: { path: '^client/src/', pathNot: `^client/src/(${nodeOnly})\\.ts$` },
      to: { path: `^client/src/(${nodeOnly})\\.ts$` },
    },
    {
      name: 'client-node-only-imports-node',
      severity: 'error',
      comment: 'The files of the client that need Node need no package.',
      from: { path: `^client/src/(${nodeOnly})\\.ts$` },
      to: { path: 'node_modules/' },
    },
    {
      name: 'console-only-client',
      severity: 'error',
      comment: 'The console uses only the published client.',
      from: { path: '^console/src/' },
      to: { path: '^server/' },
    },
    {
      name: 'mcp-only-client',
      severity: 'error',
      comment: 'The MCP server uses only the published client, so that it works with every service.',
      from: { path: '^mcp/src/' },
      to: { path: '^(server|console)/' },
    },
    soleImporter('mcp-sdk', 'node_modules/@modelcontextprotocol/', 'mcp/src/'),
    consoleLayer(
      'pages',
      ['features', 'parts', 'platform'],
      'A page is loaded by the frame and knows nothing of it.',
    ),
    consoleLayer(
      'features',
      ['parts', 'platform'],
      'A feature is used by several pages and knows none of them.',
    ),
    consoleLayer('parts', ['platform'], 'Controls know the platform, and nothing of what they show.'),
    consoleLayer('platform', [], 'Calls, session, address, time and theme: the base of the console.'),
    soleImporter('sqlite', '^(node:)?sqlite$', 'server/src/storage/sqlite/'),
    soleImporter('ffi', '^(node:)?ffi$', 'server/src/threads/c-library\\.ts'),
    soleImporter('pg', 'node_modules/(@types/)?pg/', 'server/src/storage/postgres/'),
    soleImporter('clickhouse', 'node_modules/@clickhouse/', 'server/src/storage/clickhouse/'),
    soleImporter('jose', 'node_modules/jose/', 'server/src/domain/identity/'),
    soleImporter('pino', 'node_modules/pino/', 'server/src/log\\.ts'),
    soleImporter('prom-client', 'node_modules/prom-client/', 'server/src/observe/'),
    soleImporter('opentelemetry', 'node_modules/@opentelemetry/', 'server/src/observe/'),
    soleImporter('hyparquet', 'node_modules/hyparquet/', 'server/src/cli/points/'),
    soleImporter('hyparquet-writer', 'node_modules/hyparquet-writer/', 'server/src/protocol/export/'),
    soleImporter('commander', 'node_modules/commander/', 'server/src/cli/'),
    soleImporter('protobuf', 'node_modules/@bufbuild/protobuf/', 'server/src/protocol/remote-write/'),
    soleImporter('re2', 'node_modules/re2js/', 'server/src/model/pattern\\.ts'),
    soleImporter('calendar', 'node_modules/temporal-polyfill/', 'server/src/model/zone\\.ts'),
    soleImporter('aedes', 'node_modules/aedes/', 'server/src/transport/mqtt/'),
    soleImporter('mqtt-packet', 'node_modules/mqtt-packet/', 'server/src/transport/mqtt/'),
    soleImporter('uplot', 'node_modules/uplot/', 'console/src/features/explorer/chart\\.ts'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    builtInModules: { add: ['ffi'] },
    tsConfig: { fileName: 'server/tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
};
