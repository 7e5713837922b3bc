/** A call as code that can be run elsewhere. */

/** What is copied. */
export interface CopiedCall {
  method: string;
  params: object;
  version: string;
  /** The endpoint, `https://…/v1/rpc`. */
  url: string;
}

/** The languages that a call can be copied as, with what they are called. */
export const copyLanguages = {
  curl: 'curl',
  typescript: 'TypeScript',
  rpc: 'JSON-RPC',
} as const;

/** One of {@link copyLanguages}. */
export type CopyLanguage = keyof typeof copyLanguages;

/** A call as code. Credentials are placeholders: none are known here. */
export function copyAs(language: CopyLanguage, call: CopiedCall): string {
  return printers[language](call);
}

const printers: Readonly<Record<CopyLanguage, (call: CopiedCall) => string>> = {
  curl: printCurl,
  typescript: printTypescript,
  rpc: ({ method, params }) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }, null, 2),
};

function printCurl({ method, params, version, url }: CopiedCall): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return [
    `curl -sS ${shell(url)} \\`,
    `  -u "$TIDEMARK_USER:$TIDEMARK_PASSWORD" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H ${shell(`X-API-Version: ${version}`)} \\`,
    `  -d ${shell(body)}`,
  ].join('\n');
}

function printTypescript({ method, params, version, url }: CopiedCall): string {
  const base = url.replace(/v1\/rpc$/, '');
  return `import { readFile } from 'node:fs/promises';

// The credentials file that the console gives for an integration.
const { credentials } = JSON.parse(await readFile('credentials.json', 'utf8'));
const token = await fetch(${JSON.stringify(`${base}v1/oauth/token`)}, {
  method: 'POST',
  body: new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    audience: ${JSON.stringify(`${base}v1/`)},
  }),
}).then((response) => response.json());

const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    'X-API-Version': ${JSON.stringify(version)},
    Authorization: \`Bearer \${token.access_token}\`,
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: ${JSON.stringify(method)},
    params: ${JSON.stringify(params, null, 2).replaceAll('\n', '\n    ')},
  }),
});
const { result, error } = await response.json();
if (error) throw new Error(error.message);
console.log(result);
`;
}

/** Quoted for a POSIX shell. */
function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
