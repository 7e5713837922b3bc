/** The text of a `.case` file → blocks of lines. What the words mean is in spec/cases/README.md. */

/** A line that begins at the margin, with the indented lines below it. */
export interface Block {
  line: number;
  /** The first word. */
  command: string;
  /** What follows it. */
  text: string;
  children: Block[];
}

/** A file that cannot be understood: says where. */
export class ScriptError extends Error {
  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
  }
}

/** Reads lines into blocks by their indentation: two spaces a level. Empty lines and lines that begin with # are nothing. */
export function parseScript(text: string): Block[] {
  const root: Block = { line: 0, command: '', text: '', children: [] };
  const open = [root];
  text.split('\n').forEach((raw, index) => {
    const trimmed = raw.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return;
    const spaces = raw.length - raw.trimStart().length;
    const level = spaces / 2;
    if (!Number.isInteger(level) || level >= open.length) {
      throw new ScriptError(
        index + 1,
        `indented by ${spaces} spaces; two more than the line it belongs to are meant`,
      );
    }
    const [, command, rest] = /^(\S+)\s*(.*)$/.exec(trimmed) ?? ['', '', ''];
    const block: Block = { line: index + 1, command, text: rest, children: [] };
    open.length = level + 1;
    open[level].children.push(block);
    open.push(block);
  });
  return root.children;
}

/** The words of a text. */
export function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** The whole line of a block again. */
export function lineOf(block: Block): string {
  return block.text === '' ? block.command : `${block.command} ${block.text}`;
}
