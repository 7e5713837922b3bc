/** The mark of an instance. */

/** A square in the instance's colour with the first letter of its name. */
export function InstanceMark({ color, name }: { color: string; name: string }) {
  return (
    <span className="instance-mark" style={{ background: color }} aria-hidden="true">
      <span>{[...name][0]?.toUpperCase() ?? 'T'}</span>
    </span>
  );
}
