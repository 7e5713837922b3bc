/** A button that copies a call as code. */
import { copyAndNotify } from '../../parts/copy.tsx';
import { Menu } from '../../parts/menu.tsx';
import { rpcUrl } from '../../platform/rpc/base.ts';
import { apiVersion } from '../../platform/rpc/rpc.ts';
import { type CopyLanguage, copyAs, copyLanguages } from './copy-as.ts';

interface CopyMenuProps {
  calls: readonly { method: string; params: object }[];
  version?: string;
}

/** Copies one call, or several after each other, as curl, TypeScript or JSON-RPC. */
export function CopyMenu({ calls, version = apiVersion }: CopyMenuProps) {
  const copy = (language: CopyLanguage) => {
    const [first, ...others] = calls.map((call) => ({ ...call, version, url: rpcUrl }));
    if (!first) return;
    const text = copyAs(language, [first, ...others]);
    void copyAndNotify(text, `The call as ${copyLanguages[language]} is`);
  };
  return (
    <Menu
      label="Copy the call as"
      text="Copy as"
      icon="copy"
      tone="normal"
      entries={Object.entries(copyLanguages).map(([language, text]) => ({
        text,
        isDisabled: calls.length === 0,
        run: () => copy(language as CopyLanguage),
      }))}
    />
  );
}
