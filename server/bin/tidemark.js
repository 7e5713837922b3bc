#!/usr/bin/env node
/**
 * The command `tidemark`: checks the runtime, then hands over to cli/main. Plain JavaScript without static imports and
 * without newer syntax, so that an old Node gets as far as the message.
 */
const needed = 24;
const major = Number(process.versions.node.split('.')[0]);

if (major < needed) {
  process.stderr.write(
    'tidemark: needs Node.js ' +
      needed +
      ' or newer, this is ' +
      process.versions.node +
      '. In a clone "npm ci" installs one (not with --ignore-scripts), and "npm start" uses it; else install it from https://nodejs.org\n',
  );
  process.exitCode = 1;
} else {
  if (process.argv[2] === 'serve') prepareProcess();
  hideSqliteWarning();
  start();
}

/**
 * Some settings can only be made before a process begins: the number of arenas of the C allocator (glibc takes up to eight
 * for each core, every one with holes of its own) and a smaller young generation, with which the memory of a service under load is a third
 * smaller; fixed sizes from which on the allocator gives memory back, which glibc raises up to 32 MiB otherwise; and threads of
 * V8, which collect garbage and compile, for half of the processors, since they take these from the threads that serve. Nor can
 * warnings be hidden in all threads later: that Node's calls of the C library are experimental, at every start. So
 * `serve` begins once more, as the same process, unless they are made already; where a system cannot do that, it goes on as it
 * is.
 */
function prepareProcess() {
  const { env, execArgv, execPath } = process;
  const options = execArgv.concat(env.NODE_OPTIONS || '').join(' ');
  const flags = [];
  if (!/--max[-_]semi[-_]space[-_]size/.test(options)) flags.push('--max-semi-space-size=8');
  if (!/--v8[-_]pool[-_]size/.test(options)) flags.push('--v8-pool-size=' + poolSize());
  if (!/--disable[-_]warning=ExperimentalWarning/.test(options))
    flags.push('--disable-warning=ExperimentalWarning');
  if ((flags.length === 0 && env.MALLOC_ARENA_MAX) || process.platform === 'win32' || !process.execve) return;
  // Of glibc; other C libraries ignore them.
  const allocator = {
    MALLOC_ARENA_MAX: '16',
    MALLOC_MMAP_THRESHOLD_: '262144',
    MALLOC_TRIM_THRESHOLD_: '1048576',
  };
  process.execve(
    execPath,
    [execPath].concat(execArgv, flags, process.argv.slice(1)),
    Object.assign(allocator, env),
  );
}

/** As many as half of the processors, and at most the four that Node starts by itself. */
function poolSize() {
  const processors = process.getBuiltinModule('node:os').availableParallelism();
  return Math.max(1, Math.min(4, Math.floor(processors / 2)));
}

/** Node 24 warns at every start that its SQLite is experimental; operators cannot change that. */
function hideSqliteWarning() {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    if (rest[0] === 'ExperimentalWarning' && String(warning).indexOf('SQLite') === 0) return;
    emitWarning.call(process, warning, ...rest);
  };
}

/** A package has JavaScript in dist/, a clone runs the TypeScript in src/. */
function start() {
  import('node:fs')
    .then((fs) => {
      const built = new URL('../dist/cli/main.js', import.meta.url);
      const source = new URL('../src/cli/main.ts', import.meta.url);
      // A clone that was built keeps running its sources: what is in dist/ may be older.
      if (!fs.existsSync(source)) return import(built.href);
      return keepCompiled().then(() => import(source.href));
    })
    .then((main) => main.run(process.argv.slice(2)))
    .then((exitCode) => {
      process.exitCode = exitCode;
    });
}

/**
 * Lets Node keep the JavaScript that it makes of the sources, in the clone's own node_modules: half the time of a start, and
 * 50 MB less, since no thread has to load the compiler. Threads learn of it by the environment.
 */
function keepCompiled() {
  return Promise.all([import('node:module'), import('node:url')]).then(([module, url]) => {
    const directory = url.fileURLToPath(new URL('../../node_modules/.cache/tidemark', import.meta.url));
    if (process.env.NODE_COMPILE_CACHE === undefined) process.env.NODE_COMPILE_CACHE = directory;
    module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  });
}
