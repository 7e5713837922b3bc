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
  python: 'Python',
  rpc: 'JSON-RPC',
} as const;

/** One of {@link copyLanguages}. */
export type CopyLanguage = keyof typeof copyLanguages;

/** Calls as code, one after the other. Credentials are placeholders: none are known here. */
export function copyAs(language: CopyLanguage, calls: readonly [CopiedCall, ...CopiedCall[]]): string {
  return printers[language](calls);
}

type Calls = readonly [CopiedCall, ...CopiedCall[]];

const printers: Readonly<Record<CopyLanguage, (calls: Calls) => string>> = {
  curl: (calls) => calls.map(printCurl).join('\n\n'),
  typescript: printTypescript,
  python: printPython,
  rpc: (calls) => {
    const requests = calls.map(requestOf);
    return JSON.stringify(requests.length === 1 ? requests[0] : requests, null, 2);
  },
};

/** The calls of a batch are numbered from 1. */
function requestOf({ method, params }: CopiedCall, index: number): object {
  return { jsonrpc: '2.0', id: index + 1, method, params };
}

function printCurl(call: CopiedCall): string {
  return [
    `curl -sS ${shell(call.url)} \\`,
    `  -u "$TIDEMARK_USER:$TIDEMARK_PASSWORD" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H ${shell(`X-API-Version: ${call.version}`)} \\`,
    `  -d ${shell(JSON.stringify(requestOf(call, 0)))}`,
  ].join('\n');
}

function printTypescript(calls: Calls): string {
  const [{ url, version }] = calls;
  const base = url.replace(/v1\/rpc$/, '');
  const printed = calls.map(({ method, params }) => {
    const text = JSON.stringify(params, null, 2);
    return `console.log(await call(${JSON.stringify(method)}, ${text}));`;
  });
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

async function call(method: string, params: object): Promise<unknown> {
  const response = await fetch(${JSON.stringify(url)}, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-API-Version': ${JSON.stringify(version)},
      Authorization: \`Bearer \${token.access_token}\`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(error.message);
  return result;
}

${printed.join('\n\n')}
`;
}

function printPython(calls: Calls): string {
  const [{ url, version }] = calls;
  const base = url.replace(/v1\/rpc$/, '');
  const printed = calls.map(({ method, params }) => {
    // JSON within JSON: quotes and escapes of both languages mean the same, and words such as null stay inside.
    return `print(call(${JSON.stringify(method)}, json.loads(${JSON.stringify(JSON.stringify(params))})))`;
  });
  return `import json, urllib.parse, urllib.request

# The credentials file that the console gives for an integration.
credentials = json.load(open("credentials.json"))["credentials"]
form = urllib.parse.urlencode({
    "grant_type": "client_credentials",
    "client_id": credentials["clientId"],
    "client_secret": credentials["clientSecret"],
    "audience": ${JSON.stringify(`${base}v1/`)},
}).encode()
token = json.load(urllib.request.urlopen(${JSON.stringify(`${base}v1/oauth/token`)}, form))["access_token"]

def call(method, params):
    request = urllib.request.Request(
        ${JSON.stringify(url)},
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode(),
        {
            "Content-Type": "application/json",
            "X-API-Version": ${JSON.stringify(version)},
            "Authorization": "Bearer " + token,
        },
    )
    answer = json.load(urllib.request.urlopen(request))
    if "error" in answer:
        raise RuntimeError(answer["error"]["message"])
    return answer["result"]

${printed.join('\n')}
`;
}

/** Quoted for a POSIX shell. */
function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
