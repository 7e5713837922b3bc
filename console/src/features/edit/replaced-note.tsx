/** What should be known before signals are edited by hand. */

/** The note. */
export function ReplacedNote() {
  return (
    <p className="quiet small">
      Other fields stay as they are. When the integration saves a signal again, it replaces all of its fields.
    </p>
  );
}
