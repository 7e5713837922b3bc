/** Code blocks, and downloads of files that are created in the browser. */
import { CopyButton } from './copy.tsx';

/** A block of code with a button that copies it. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <figure className="code-block" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label="Copy" />
    </figure>
  );
}

/** Downloads a file. */
export function download(name: string, content: string | Blob, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
