/** Says which nodes did not answer, so that their part is missing from a page. */
import { Notice } from '../../parts/notice.tsx';

/** The notice; nothing if all nodes answered. */
export function SilentNodes({ names }: { names: readonly string[] | undefined }) {
  if (names === undefined || names.length === 0) return null;
  const who = names.length === 1 ? `The node ${names[0]} did` : `The nodes ${names.join(', ')} did`;
  return <Notice mood="warn">{`${who} not answer: what it knows is missing here.`}</Notice>;
}
