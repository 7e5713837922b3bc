/** Badges and tags. The text has the meaning; the colour repeats it. */
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** The colour of a badge. */
export type BadgeTone = 'quiet' | 'good' | 'warn' | 'bad' | 'info' | 'plum';

interface BadgeProps {
  tone?: BadgeTone | undefined;
  icon?: IconName;
  children: ReactNode;
}

/** A state in one or two words. */
export function Badge({ tone = 'quiet', icon, children }: BadgeProps) {
  return (
    <span className={`badge tone ${tone}`}>
      {icon && <Icon name={icon} size={12} />}
      {children}
    </span>
  );
}

/** A label with its value. */
export function Tag({ name, value }: { name: string; value: string }) {
  return (
    <span className="tag">
      <b>{name}</b>
      <span className="cut">{value}</span>
    </span>
  );
}

/** Shown for a missing value. */
export const dash = <span className="quiet">–</span>;
