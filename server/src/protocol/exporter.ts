/** INTERFACE: what a transport needs in order to send exports. Implemented by methods/export. */
import type { Call } from './method.ts';

/** What an exporter knows of a request. */
export type ExportCall = Pick<Call, 'caller' | 'signal' | 'ticket'>;

/** An export that can be sent. */
export interface ExportFile {
  /** Media type, of the content before it is compressed. */
  type: string;
  /** The suggested name. */
  name: string;
  /** Whether the file itself is to be compressed; its name says so. */
  compression: 'gzip' | 'zstd' | null;
  /** The content, produced as it is iterated, each piece in the client's turn. Ends with an error when the export fails. */
  pieces: AsyncGenerator<string | Buffer, void, void>;
}

/** Opens exports. */
export interface Exporter {
  /** Fails with `invalid-params` by the name of the parameter, `not-permitted`, or as reads do. */
  open(call: ExportCall, query: URLSearchParams): Promise<ExportFile>;
}
