/** Snippets of an integration; right after a credential was created they contain its secret. */
import type { Credential, CredentialsFile } from '@tidemark/client/wire';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Card } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { baseUrl } from '../../platform/rpc/base.ts';
import { useSession } from '../../platform/session/context.tsx';
import { secretPlaceholder, snippetsFor } from './snippets.ts';

interface SnippetCardProps {
  integration: string;
  file: CredentialsFile | null;
  credentials: readonly Credential[];
}

/** The card. `file`: the credential that was just created; null: the newest one is used, without its secret. */
export function SnippetCard({ integration, file, credentials }: SnippetCardProps) {
  const { session } = useSession();
  const apiUrl = `${(session.baseUrl ?? baseUrl).replace(/\/$/, '')}/v1/`;
  const snippets = snippetsFor(file ?? fileWithoutSecret(apiUrl, integration, credentials));
  return (
    <Card
      title="Send the first data"
      note={
        file ? 'Filled in with the new credential.' : 'Replace the placeholder by the secret of a credential.'
      }
    >
      <Tabs
        label="Programs"
        entries={snippets.map(({ id, title, note, code }) => ({
          id,
          text: title,
          content: (
            <>
              <p className="quiet">{note}</p>
              <CodeBlock label={title} text={code} />
            </>
          ),
        }))}
      />
    </Card>
  );
}

function fileWithoutSecret(
  apiUrl: string,
  integration: string,
  credentials: readonly Credential[],
): CredentialsFile {
  const newest = credentials.at(-1);
  const type = newest?.type ?? 'client-credentials';
  return {
    apiUrl,
    integration,
    credentials: {
      type,
      clientId: type === 'basic-auth' ? integration : (newest?.id ?? 'YOUR_CLIENT_ID'),
      clientSecret: secretPlaceholder,
    },
  };
}
