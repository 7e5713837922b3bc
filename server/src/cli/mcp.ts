/** `tidemark mcp`: runs the MCP server, which is a package of its own that the service does not need. */
import { Option } from 'commander';
import type { Call, CommandBody } from './command.ts';
import { collect } from './options.ts';
import type { Terminal } from './terminal.ts';
import { CommandError } from './usage.ts';

/** The command. */
export const definition: CommandBody = {
  settings: ['credentials'],
  options: [
    new Option(
      '--listen <ADDRESS>',
      'serve streamable HTTP at /mcp on [HOST:]PORT; each call has its own credentials',
    ),
    new Option('--api-url <URL>', 'address of the service, with --listen; ends in /v1/'),
    new Option(
      '--allow-origin <ORIGIN>',
      'let pages of this origin call, with --listen; may be repeated',
    ).argParser(collect),
    new Option('--allow-writes', 'offer the tools that insert data and save signals'),
  ],
  notes: `Serves the Model Context Protocol to one program on standard input and output, with the grants of the credentials file;
with --listen over HTTP. The package @tidemark/mcp has to be installed.`,
  action: serveMcp,
};

/** What is used of the package. */
interface Package {
  run(argv: readonly string[], output: Pick<Terminal, 'stdout' | 'stderr'>): Promise<number>;
}

async function serveMcp({ config, options, terminal }: Call): Promise<number> {
  const { listen, apiUrl, allowOrigin = [], allowWrites } = options;
  const { credentials } = config.settings;
  const argv = [
    ...(credentials === null ? [] : ['--credentials', credentials]),
    ...(listen === undefined ? [] : ['--listen', String(listen)]),
    ...(apiUrl === undefined ? [] : ['--api-url', String(apiUrl)]),
    ...(allowOrigin as string[]).flatMap((origin) => ['--allow-origin', origin]),
    ...(allowWrites === true ? ['--allow-writes'] : []),
  ];
  const { run } = await load('@tidemark/mcp');
  return run(argv, terminal);
}

/** Named at run time: the service is installed without it. */
async function load(name: string): Promise<Package> {
  try {
    return (await import(name)) as Package;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new CommandError(`${name} is not installed here; docs/mcp.md says how to install it`);
  }
}
