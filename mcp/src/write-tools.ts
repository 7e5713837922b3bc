/** Tools that write, offered with --allow-writes only. */
import type { Session, Tool } from './tool.ts';

/** Saves signals. */
export const saveSignals: Tool = {
  name: 'save_signals',
  title: 'Save signals',
  description: 'Creates signals of the integration of the credentials, or replaces their fields.',
  isWrite: true,
  input: (methods) => {
    const param = (name: string) => methods.schema('integration.saveSignals', name);
    return methods.input({ signalsByInput: param('signalsByInput'), createOnly: param('createOnly') }, [
      'signalsByInput',
    ]);
  },
  run: (session, { signalsByInput, createOnly = false }) =>
    write(session, 'integration.saveSignals', { signalsByInput, createOnly }),
};

/** Inserts points. */
export const insertData: Tool = {
  name: 'insert_data',
  title: 'Insert data',
  description:
    'Stores points in signals of the integration of the credentials; a point at a time that has one replaces it.',
  isWrite: true,
  input: (methods) => methods.input({ data: methods.schema('integration.insert', 'data') }, ['data']),
  run: (session, { data }) => write(session, 'integration.insert', { data }),
};

async function write(
  { client, integration, signal }: Session,
  method: string,
  params: object,
): Promise<object> {
  return (await client.callAny(method, { integration, ...params }, { signal })) as object;
}
