/** Copies to the clipboard, also over plain HTTP, where the browser does not provide its interface. */
import { useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { notify } from './toast.tsx';

async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Not permitted; selecting the text may still work.
  }
  return copyBySelection(text);
}

const refusal = 'The browser does not allow copying here: select the text.';

/** Copies a text, with a message. */
export async function copyAndNotify(text: string, what: string): Promise<void> {
  if (await copyText(text)) notify(`${what} copied`);
  else notify(refusal, 'warn');
}

interface CopyButtonProps {
  text: string;
  label: string;
  isWordy?: boolean;
}

/** A button that copies, and confirms it for a short time. */
export function CopyButton({ text, label, isWordy = false }: CopyButtonProps) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    if (!(await copyText(text))) return notify(refusal, 'warn');
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  const icon = isDone ? 'check' : 'copy';
  const name = isDone ? 'Copied' : label;
  if (!isWordy) return <IconButton isTiny label={name} icon={icon} onPress={() => void copy()} />;
  return (
    <Button icon={icon} onPress={() => void copy()}>
      {name}
    </Button>
  );
}

/** An identifier with a button that copies it. */
export function CopyId({ id, label = 'Copy ID' }: { id: string; label?: string }) {
  return (
    <span className="line copy-id">
      <code className="break">{id}</code>
      <CopyButton text={id} label={label} />
    </span>
  );
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'hidden-text';
  (document.querySelector('[role=dialog]') ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}
