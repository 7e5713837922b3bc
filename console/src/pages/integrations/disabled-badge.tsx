/** The mark of a disabled integration. */
import { Badge } from '../../parts/badge.tsx';

/** The badge. */
export function DisabledBadge() {
  return (
    <Badge tone="warn" icon="pause">
      disabled
    </Badge>
  );
}
