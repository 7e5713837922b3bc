/** What the command palette offers. */
import type { IconName } from '../parts/icon.tsx';

/** Something that the palette offers. */
export interface Command {
  id: string;
  text: string;
  /** More words by which it is found. */
  words?: string;
  /** A description, shown next to its name. */
  note?: string;
  icon: IconName;
  keys?: string;
  run(): void;
}
