/** Who may connect: user name and password under the rates of HTTP, and client IDs that integrations keep apart (M1, M4). */
import type { ConnectPacket } from 'aedes';
import type { Caller } from '#model/caller';
import { AppError } from '#model/error';
import { checkPassword, type PasswordOptions } from '#protocol/passwords';
import type { TraceSource } from '#protocol/trace';

/** Dependencies of {@link admit}. */
export interface AdmissionOptions extends PasswordOptions {
  traces: TraceSource;
}

/** The codes of a refused CONNECT (MQTT 3.1.1, table 3.1). */
export const refusal = { version: 1, clientId: 2, unavailable: 3, password: 4, notAllowed: 5 } as const;

/** A client is refused with a code, or has a caller and an ID that no other integration can have. */
export type Admission = { caller: null; code: number } | { caller: Caller; clientId: string };

const clientIdCharactersMax = 256;

/** Versions 3.1 and 3.1.1 by the number in the packet. */
const versions: readonly unknown[] = [3, 4];

/** Decides about a CONNECT. */
export async function admit(
  options: AdmissionOptions,
  packet: ConnectPacket,
  address: string,
): Promise<Admission> {
  const { clientId, clean, username, password } = packet;
  if (!versions.includes(packet.protocolVersion)) return refused(refusal.version);
  if (clientId.length > clientIdCharactersMax || (clientId === '' && clean === false))
    return refused(refusal.clientId);
  if (username === undefined || password === undefined) return refused(refusal.notAllowed);
  const { traceId } = options.traces.next(undefined);
  const from = { address, userAgent: `MQTT ${clientId}`, traceId };
  const credentials = { user: username, password: password.toString('utf8') };
  try {
    const { caller, rate } = await checkPassword(options, credentials, from);
    if (rate !== null) return refused(refusal.unavailable);
    if (caller === null) return refused(refusal.password);
    return { caller, clientId: `${caller.integration}/${clientId === '' ? traceId : clientId}` };
  } catch (error) {
    // The integration is disabled.
    if (error instanceof AppError) return refused(refusal.notAllowed);
    throw error;
  }
}

function refused(code: number): Admission {
  return { caller: null, code };
}

/** MQTT 5's reason code for a version that is not supported. */
const unsupportedVersion = 0x84;

/** The answer to a CONNECT that is refused, in the version of the client. */
export function refusalBytes({ protocolVersion }: ConnectPacket, code: number): Buffer {
  const connack = 0x20;
  if (protocolVersion === 5) return Buffer.from([connack, 3, 0, unsupportedVersion, 0]);
  return Buffer.from([connack, 2, 0, code]);
}
