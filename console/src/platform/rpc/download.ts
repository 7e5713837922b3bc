/** Files of any size over the export route: the browser saves the answer as it arrives, and this page holds none of it. */
import { problemOf } from '../session/session.ts';
import { baseUrl } from './base.ts';
import { sessionToken } from './rpc.ts';
import { notReached, RpcError } from './rpc-error.ts';

/** The parameters of `GET /v1/export`. */
export type ExportParameters = Readonly<Record<string, string>>;

const url = `${baseUrl}v1/export`;

/** Begins a download. Fails with what the service says of the parameters; `onFailure` is called when it refuses later. */
export async function downloadExport(
  parameters: ExportParameters,
  { signal, onFailure }: { signal: AbortSignal; onFailure(error: Error): void },
): Promise<void> {
  await check({ ...parameters, limit: '1' }, signal);
  submit(parameters, () => onFailure(new RpcError('The service did not send the file. Try again later.')));
}

/** Asks for the first row only, since what a form is answered cannot be read here. */
async function check(parameters: ExportParameters, signal: AbortSignal): Promise<void> {
  const response = await post(parameters, signal);
  if (response.ok) return response.body?.cancel();
  throw problemOf(response, await response.json().catch(() => null));
}

async function post(parameters: ExportParameters, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, {
      ...{ method: 'POST', credentials: 'same-origin', signal },
      body: new URLSearchParams(fieldsOf(parameters)),
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw notReached();
  }
}

function fieldsOf(parameters: ExportParameters): Record<string, string> {
  return { ...parameters, csrfToken: sessionToken() };
}

let frameCount = 0;

/** Sends a form to a frame that is not shown: a file that is sent is saved, and anything else is loaded into the frame. */
function submit(parameters: ExportParameters, onLoad: () => void): void {
  const frame = document.createElement('iframe');
  frame.name = `download-${++frameCount}`;
  frame.hidden = true;
  document.body.append(frame);
  frame.addEventListener('load', onLoad, { once: true });
  const form = document.createElement('form');
  Object.assign(form, { method: 'post', action: url, target: frame.name, hidden: true });
  for (const [name, value] of Object.entries(fieldsOf(parameters))) {
    const input = document.createElement('input');
    form.append(Object.assign(input, { type: 'hidden', name, value }));
  }
  document.body.append(form);
  form.submit();
  form.remove();
}
