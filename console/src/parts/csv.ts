/** Files of comma-separated values (RFC 4180) that spreadsheets open safely. */

/** Lines of fields as one text. */
export function csvOf(lines: readonly (readonly string[])[]): string {
  return lines.map((fields) => `${fields.map(csvField).join(',')}\r\n`).join('');
}

/** One field. A text that a spreadsheet would interpret as a formula gets an apostrophe. */
export function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
