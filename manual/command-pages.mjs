/** The reference of the command line, from the help of each command. */
import { run } from '../server/src/cli/main.ts';

/** Path and text of the page. */
export async function commandPages() {
  const root = await helpOf([]);
  const sections = [];
  for (const [name, isGroup] of await commandsOf([])) {
    sections.push(`## ${name}`, block(await helpOf([name])));
    if (!isGroup) continue;
    for (const [part] of await commandsOf([name]))
      sections.push(`### ${name} ${part}`, block(await helpOf([name, part])));
  }
  const text = [
    '# Command line',
    'What `tidemark help` prints of each command.',
    block(root),
    ...sections,
  ].join('\n\n');
  return [['reference/commands.md', `${text}\n`]];
}

/** The names in the list of commands of a help, and whether they have commands of their own. */
async function commandsOf(path) {
  const help = await helpOf(path);
  const lines = (/^Commands:\n((?: .*\n)+)/m.exec(`${help}\n`)?.[1] ?? '').split('\n');
  const names = lines
    .map((line) => /^ {2}([a-z][a-z-]*)/.exec(line)?.[1])
    .filter((name) => name !== undefined && name !== 'help');
  const found = [];
  for (const name of names) found.push([name, /^Commands:/m.test(await helpOf([...path, name]))]);
  return found;
}

async function helpOf(path) {
  let text = '';
  const out = {
    write: (part) => {
      text += part;
      return true;
    },
    isTTY: false,
    columns: 100,
  };
  const err = { write: () => true, isTTY: false };
  const code = await run([...path, '--help'], { env: {}, stdout: out, stderr: err });
  if (code !== 0) throw new Error(`tidemark ${path.join(' ')} --help exits with ${code}`);
  // The closing is the same for each command.
  const end = path.length > 0 ? text.indexOf('\nAn option with "env:"') : -1;
  return (end === -1 ? text : text.slice(0, end)).trimEnd();
}

function block(text) {
  return `\`\`\`text\n${text}\n\`\`\``;
}
