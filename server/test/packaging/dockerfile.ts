/** Reads a Dockerfile: stages and their instructions, as far as this project's own file goes. */

/** One instruction, for example `COPY` with `--from=build /a /b`. */
export interface Instruction {
  name: string;
  /** Options before the arguments, `from` → `build`. */
  options: Map<string, string>;
  /** The arguments, on one line. */
  text: string;
}

/** A stage: the instructions between one FROM and the next. */
export interface Stage {
  /** The name behind AS, or its number. */
  name: string;
  image: string;
  instructions: Instruction[];
}

/** The stages in order. Throws if an instruction other than ARG is before the first FROM. */
export function readDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const line of joinLines(text)) {
    const instruction = readInstruction(line);
    if (instruction.name === 'FROM') {
      const [image, , name = String(stages.length)] = instruction.text.split(/\s+/);
      stages.push({ name, image, instructions: [] });
    } else if (stages.length > 0) stages.at(-1)!.instructions.push(instruction);
    else if (instruction.name !== 'ARG') throw new Error(`${line}: before the first FROM`);
  }
  return stages;
}

/** Instructions as single lines: comments go, lines that end in a backslash are joined. */
function joinLines(text: string): string[] {
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'));
  return lines
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

function readInstruction(line: string): Instruction {
  const words = line.trim().split(/\s+/);
  const name = words[0].toUpperCase();
  const rest = words.slice(1);
  // Options of HEALTHCHECK and COPY come first; those of a command do not count.
  const count = rest.findIndex((word) => !word.startsWith('--'));
  const options = rest.slice(0, count).map((word): [string, string] => {
    const [key, value = ''] = word.slice(2).split('=');
    return [key, value];
  });
  return { name, options: new Map(options), text: rest.slice(count).join(' ') };
}

/** `KEY=value` pairs of ENV and LABEL, quotes taken away. */
export function readPairs(text: string): Map<string, string> {
  const pairs = [...text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/g)];
  return new Map(pairs.map(([, key, quoted, plain]) => [key, quoted ?? plain]));
}

/** Whether a .dockerignore keeps a path (relative, with slashes) out: the last line that matches it or a folder above decides. */
export function ignoredBy(text: string): (path: string) => boolean {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const rules = lines.map((line) => ({
    isException: line.startsWith('!'),
    pattern: patternOf(line.replace(/^!/, '')),
  }));
  return (path) => rules.findLast(({ pattern }) => pattern.test(path))?.isException === false;
}

function patternOf(line: string): RegExp {
  const escaped = line.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  const body = escaped.replace(/\*\*\/|\*/g, (mark) => (mark === '*' ? '[^/]*' : '(?:.*/)?'));
  return new RegExp(`^${body}(?:/.*)?$`);
}
