/**
 * The language of templates (P3): text with placeholders such as `{labels.site|lower|default:"unknown"}`. Parsing and rendering
 * take time in proportion to the text, and the result is bounded.
 */
import { counted } from '#model/text';
import { PlaceholderReader } from './placeholder.ts';
import { type Placeholder, type Template, templateLimits } from './template-part.ts';

/** Reads a template; a text is what is wrong with it. `maps` has the names of the value maps. */
export function parseTemplate(text: string, maps: ReadonlySet<string>): Template | string {
  const { charactersMax, placeholdersMax } = templateLimits;
  if (text.length > charactersMax) return `must be at most ${charactersMax} characters, got ${text.length}`;
  const parts: (string | Placeholder)[] = [];
  let literal = '';
  for (let at = 0; at < text.length; ) {
    const character = text[at];
    if (character !== '{' && character !== '}') {
      literal += character;
      at++;
    } else if (text[at + 1] === character) {
      literal += character;
      at += 2;
    } else if (character === '}') {
      return `a "}" at character ${at + 1} ends no placeholder; write "}}" for the character itself`;
    } else {
      const reader = new PlaceholderReader(text, at + 1, maps);
      const placeholder = reader.read();
      if (typeof placeholder === 'string') return placeholder;
      if (literal !== '') parts.push(literal);
      literal = '';
      parts.push(placeholder);
      at = reader.at;
    }
  }
  if (literal !== '') parts.push(literal);
  const placeholders = parts.filter((part) => typeof part !== 'string').length;
  if (placeholders > placeholdersMax)
    return `must have at most ${counted(placeholdersMax, 'placeholder')}, got ${placeholders}`;
  return parts;
}
