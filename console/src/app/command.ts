/** The commands of the palette. */
import type { IconName } from '../parts/icon.tsx';

/** One command. */
export interface Command {
  id: string;
  text: string;
  /** Further words that find it. */
  words?: string;
  /** A description, shown next to its name. */
  note?: string;
  icon: IconName;
  keys?: string;
  run(): void;
}
